/** The badge of a tool: Read, Write (needs an approval, if no exception applies) or Own (writes at once). */
import { badgeOf, type ToolInfo } from '../lib/tools.ts';

export const KindBadge = ({ tool }: { readonly tool: ToolInfo }) => {
  const kind = badgeOf(tool);
  if (kind === 'Write')
    return (
      <span
        className="badge badge--accent"
        title={tool.atOnceWhen === null ? 'Needs your approval' : `Needs your approval unless ${tool.atOnceWhen}`}
      >
        {kind}
      </span>
    );
  return (
    <span
      className={kind === 'Own' ? 'badge badge--line' : 'badge'}
      title={kind === 'Own' ? 'Writes at once, without approval' : undefined}
    >
      {kind}
    </span>
  );
};
