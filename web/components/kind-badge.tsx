/** The badge that says whether a tool reads, writes or changes the user's own data. */
import { badgeOf, type ToolInfo } from '../lib/tools.ts';

export const KindBadge = ({ tool }: { readonly tool: ToolInfo }) => {
  const kind = badgeOf(tool);
  if (kind === 'Write')
    return (
      <span className="badge badge--accent" title="Needs your approval">
        {kind}
      </span>
    );
  return (
    <span
      className={kind === 'Own' ? 'badge badge--line' : 'badge'}
      title={kind === 'Own' ? 'Changes your own data without approval' : undefined}
    >
      {kind}
    </span>
  );
};
