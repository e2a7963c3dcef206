/** The badge of a tool: Read, Write (usually needs an approval) or Own (writes without an approval). */
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
    <span className={kind === 'Own' ? 'badge badge--line' : 'badge'} title={kind === 'Own' ? 'Writes without an approval' : undefined}>
      {kind}
    </span>
  );
};
