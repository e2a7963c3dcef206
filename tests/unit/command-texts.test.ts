/** Output of the command: help texts, wrapped examples, suggestions for misspelled names and search highlights. */
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/main.ts';
import { nearest } from '../../src/cli/commands/nearest.ts';
import { exampleLines } from '../../src/cli/terminal/help.ts';
import { dataLines } from '../../src/cli/terminal/data.ts';
import { plain, styleOf } from '../../src/cli/terminal/style.ts';
import { widthOf } from '../../src/cli/terminal/text.ts';
import { builtIn } from '../registry.ts';

const everyCommand = (width: number) => {
  const program = createProgram(async () => {}, { width, transfers: builtIn.transfers });
  const all = [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)];
  return all.map((command) => {
    let out = '';
    command.configureOutput({ writeOut: (text) => (out += text), getOutHelpWidth: () => width });
    command.outputHelp();
    return [command.name(), out] as const;
  });
};

describe.each([60, 80, 120])('help at %i columns', (width) => {
  it.each(everyCommand(width))('of %s fits the width', (_, help) => {
    expect(help).toMatch(/^Usage: /);
    const long = help.split('\n').filter((line) => widthOf(line) > width);
    // A single word or a quoted argument cannot be wrapped without breaking the command.
    for (const line of long) expect(line.trim().replace(/ \\$/, '')).toMatch(/^\S+$|^'[^']*'$|^"[^"]*"$/);
  });
});

describe('the commands of domains', () => {
  it('exist for exactly those that declare an export and an import', () => {
    const [knowledge] = builtIn.transfers.values();
    if (!knowledge) throw new Error('no domain declares a transfer');
    const names = (transfers: typeof builtIn.transfers) => createProgram(async () => {}, { transfers }).commands.map((each) => each.name());
    const without = names(new Map());
    expect(without).not.toContain('knowledge');
    expect(names(new Map([['rooms', knowledge]])).filter((name) => !without.includes(name))).toEqual(['rooms']);
  });
});

describe('an example that is longer than the line', () => {
  it('is wrapped after a backslash, so that it can be copied', () => {
    const example = `tamshai call hr find_employees '{"name":"Sarah Kim"}' --as frank.davis`;
    const lines = exampleLines(example, 40);
    expect(lines).toEqual([`  tamshai call hr find_employees \\`, `    '{"name":"Sarah Kim"}' --as \\`, '    frank.davis']);
    const joined = lines.map((line) => line.trim().replace(/ \\$/, '')).join(' ');
    expect(joined).toBe(example);
  });
});

describe('a misspelled name', () => {
  it.each([
    ['list_employee', 'list_employees'],
    ['lst_employees', 'list_employees'],
    ['get_emploiee', 'get_employee'],
    ['employees', 'list_employees'],
  ])('%s suggests %s', (given, meant) => {
    expect(nearest(given, ['get_employee', 'list_employees', 'update_salary'])).toBe(meant);
  });
  it.each(['', 'zzz', 'constructor', 'x'.repeat(10_000)])('%s has no suggestion', (given) => {
    expect(nearest(given.slice(0, 60), ['get_employee', 'list_employees'])).toBeUndefined();
  });
});

describe('highlights of a search', () => {
  const row = {
    ticket_id: 7,
    highlights: { subject: ['VPN &lt;b&gt; <em>slow</em> &amp; &#39;down&#39;'], body: ['a', 'very <em>slow</em>'] },
  };
  it('are bold on a terminal, and plain in a pipe', () => {
    const lines = dataLines([row], undefined, { style: plain, width: 200 }).join('\n');
    expect(lines).toContain("VPN <b> slow & 'down'");
    expect(lines).not.toMatch(/<em>|&lt;|&amp;|&#39;/);
    expect(dataLines([row], undefined, { style: styleOf(true), width: 200 }).join('\n')).toContain('\u001b[1mslow\u001b[22m');
  });
  it('contain no control characters', () => {
    const hostile = { highlights: { subject: ['<em>\u001b[2J</em>&#39;\u202e'] } };
    expect(dataLines(hostile, undefined, { style: plain, width: 80 }).join('\n')).not.toMatch(/\u001b|\u202e/);
  });
});
