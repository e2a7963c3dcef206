/** HTML templates: `html` escapes every plain string, so that data cannot inject markup. */
export interface Html {
  readonly markup: string;
}

export type Part = Html | string | number | false | undefined | null | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

function markupOf(part: Part): string {
  if (part === false || part === undefined || part === null) return '';
  if (typeof part === 'string') return escape(part);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(markupOf).join('');
}

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: strings.reduce((whole, text, index) => whole + text + markupOf(parts[index]), '') };
}

/** Invisible characters, and characters that change their neighbours. Pages show their code points instead. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2800\u3164\uFE00-\uFE0F\uFFA0\u{E0100}-\u{E01EF}]/u;
const SPLIT = new RegExp(`(${UNSEEN.source})`, 'u');

export const hasUnseen = (text: string): boolean => UNSEEN.test(text);

const named = (character: string) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Shows text from data: with code points for invisible characters, and without effect on the text direction around it. */
export function bdi(text: string): Html {
  const pieces = text.split(SPLIT).map((piece) => (UNSEEN.test(piece) ? html`<span class="esc">${named(piece)}</span>` : html`${piece}`));
  return html`<bdi>${pieces}</bdi>`;
}

/** Like `bdi`, but returns plain text for attributes and titles. */
export const seen = (text: string): string =>
  text
    .split(SPLIT)
    .map((piece) => (UNSEEN.test(piece) ? `[${named(piece)}]` : piece))
    .join('');

const ALPHABETS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u, /\p{Script=Cherokee}/u];

/** True if a word mixes two alphabets, because it can imitate another name. */
export const mixesAlphabets = (text: string): boolean =>
  text.split(/[^\p{L}\p{M}]+/u).some((word) => ALPHABETS.filter((alphabet) => alphabet.test(word)).length > 1);

/** The initials for the avatar, at most two letters. */
export function initials(name: string): string {
  const words = name.split(/\s+/u).filter((word) => /^\p{L}/u.test(word));
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '');
  return letters.join('').toUpperCase();
}
