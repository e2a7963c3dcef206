/** `tamshai doctor`: runs all checks and prints how to fix each problem. */
import type { Config } from '../../server/config.ts';
import { count, indent, wrap } from '../terminal/text.ts';
import { auditCheck, databaseChecks, folderChecks } from './doctor-data.ts';
import { type Check, folderCheck, keysCheck, nodeCheck, portsCheck, redisCheck } from './doctor-checks.ts';
import { issuerChecks, serverChecks, tracingCheck } from './doctor-reach.ts';
import { openConsole } from './console.ts';
import { EXIT, withoutSecrets } from './stop.ts';
import { loadConfig, type ProjectOptions } from '../registry.ts';

/** No check changes stored data. A check that throws counts as failed, and the other checks still run. */
export async function doctor(options: ProjectOptions & { json?: boolean }): Promise<number> {
  const console = openConsole(options.json);
  const checks: Check[] = [nodeCheck()];
  let config: Config | undefined;
  try {
    config = await loadConfig(options);
  } catch (error) {
    checks.push({ state: 'fail', message: withoutSecrets((error as Error).message), fix: 'correct the setting and run it again' });
  }
  if (config !== undefined) {
    const { running, check } = folderCheck(config);
    checks.push(check);
    const looks = [
      keysCheck,
      () => portsCheck(config, running),
      () => databaseChecks(config, running),
      folderChecks,
      redisCheck,
      issuerChecks,
      serverChecks,
      tracingCheck,
      () => auditCheck(config, console),
    ];
    for (const look of looks) checks.push(...(await attempted(() => look(config))));
  }
  const [failed, warned] = [checks.filter(({ state }) => state === 'fail').length, checks.filter(({ state }) => state === 'warn').length];
  if (console.json) console.value({ ok: failed === 0, checks });
  else {
    const { style, width } = console.look;
    const colour = { ok: style.green, warn: style.yellow, fail: style.red };
    console.out(style.bold('Checks'));
    for (const { state, message, fix } of checks) {
      const [first = '', ...rest] = wrap(message, width - 10);
      console.out(
        `  ${colour[state](state.padEnd(6))}  ${first}`,
        ...indent(rest, 10),
        ...(fix === undefined ? [] : indent(wrap(`Fix  ${fix}`, width - 10), 10)),
      );
    }
    const sum = [failed > 0 && count(failed, 'problem'), warned > 0 && count(warned, 'warning')].filter(Boolean).join(', ');
    console.out('', sum === '' ? 'Everything is in order.' : `${sum}.`);
  }
  return failed > 0 ? EXIT.failed : EXIT.ok;
}

async function attempted(look: () => Promise<readonly Check[]> | readonly Check[]): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (error) {
    return [
      {
        state: 'fail',
        message: error instanceof Error ? withoutSecrets(error.message) : 'A check failed unexpectedly.',
        fix: 'correct this and run it again',
      },
    ];
  }
}
