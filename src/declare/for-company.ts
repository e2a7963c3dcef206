/** Adapts declarations to a company: the currency and fiscal year in texts, the periods in examples, the amounts in summaries. */
import { type Company, textFor } from './company.ts';
import type { ErrorMap, ErrorText } from './errors.ts';
import type { Feed, Prompt, Resource, ResourceOrPrompt } from './resources.ts';
import type { Tool } from './tool.ts';

const errorFor = (text: ErrorText, company: Company): ErrorText =>
  typeof text === 'string'
    ? textFor(text, company)
    : { ...text, message: textFor(text.message, company), hint: textFor(text.hint, company) };

export const errorsFor = (errors: ErrorMap, company: Company): ErrorMap =>
  Object.fromEntries(Object.entries(errors).map(([code, text]) => [code, errorFor(text, company)]));

export interface Declared {
  readonly tools: readonly Tool[];
  readonly resources: readonly ResourceOrPrompt[];
}

/** Adapts each declaration only once, so that two references to one tool still name the same object. */
export function declaredFor({ tools, resources }: Declared, company: Company): Declared {
  const made = new Map<object, unknown>();
  const once = <T extends object>(declared: T, make: (declared: T) => T): T => {
    const known = (made.get(declared) as T | undefined) ?? make(declared);
    made.set(declared, known);
    return known;
  };
  const tool = (declared: Tool): Tool =>
    once(declared, (each) => ({
      ...each,
      company,
      title: textFor(each.title, company),
      description: textFor(each.description, company),
      errors: errorsFor(each.errors, company),
      examples: each.examples.map((example) => ({
        ...example,
        question: textFor(example.question, company),
        input: (today) => example.input(today, company),
      })),
      summary: (data, asked) => each.summary(data, asked, company),
    }));
  const byName = (all: Readonly<Record<string, Tool>>) => Object.fromEntries(Object.entries(all).map(([name, each]) => [name, tool(each)]));
  const described = <T extends Resource | Prompt>(each: T): T => ({
    ...each,
    title: textFor(each.title, company),
    description: textFor(each.description, company),
    tool: tool(each.tool),
    completions: byName(each.completions),
  });
  const resource = (declared: Resource): Resource => once(declared, described);
  const prompt = (declared: Prompt): Prompt => once(declared, (each) => ({ ...described(each), tools: each.tools.map(tool) }));
  const feed = (declared: Feed): Feed =>
    once(declared, (each) => ({
      ...each,
      access: { ...each.access, company },
      resources: each.resources.map(resource),
      subscriptions: new Map([...each.subscriptions].map(([uri, { begin, end }]) => [uri, { begin: tool(begin), end: tool(end) }])),
    }));
  return {
    tools: tools.map(tool),
    resources: resources.map((each) => (each.kind === 'resource' ? resource(each) : each.kind === 'prompt' ? prompt(each) : feed(each))),
  };
}

export const sameCompany = (a: Company, b: Company): boolean =>
  a.name === b.name && a.timeZone === b.timeZone && a.currency === b.currency && a.fiscalYearStart === b.fiscalYearStart;
