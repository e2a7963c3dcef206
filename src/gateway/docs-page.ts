/** The API documentation page at /docs, generated from the declarations, without external resources. */
import { hash } from 'node:crypto';
import { matrixRow } from '../engine/access.ts';
import { EXAMPLE_DAY, inputSchema, outputSchema } from '../derive/answers.ts';
import { toolFailure } from '../declare/errors.ts';
import type { Registry } from '../engine/registry.ts';
import type { Tool } from '../declare/tool.ts';
import { memoize, nextTurn } from '../engine/turns.ts';

const escape = (text: string) => text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
const pretty = (value: unknown) => `<pre>${escape(JSON.stringify(value, null, 2))}</pre>`;

const section = (tool: Tool) => `
<section id="${tool.domain.name}.${tool.name}">
  <h3>${escape(tool.title)} <code>POST /api/tools/${tool.domain.name}/${tool.name}</code></h3>
  <p>${escape(tool.description)}</p>
  <p>${[...matrixRow(tool)].map(([role, sees]) => `<b>${role}</b> sees ${escape(sees)}`).join('; ')}.</p>
  <details><summary>Input</summary>${pretty(inputSchema(tool))}</details>
  <details><summary>Answer, <code>data</code></summary>${pretty(outputSchema(tool))}</details>
  <ul>${Object.keys(tool.errors)
    .map((code) => `<li><code>${code}</code> ${escape(toolFailure(code, tool.errors).suggestedAction)}</li>`)
    .join('')}</ul>
  ${tool.examples.map(({ question, as, input }) => `<p>${escape(as)}: “${escape(question)}” <code>${escape(JSON.stringify(input(EXAMPLE_DAY)))}</code></p>`).join('')}
</section>`;

/** The content security policy allows the inline style sheet by its digest. */
export const docsPolicy = (style = ''): string => {
  const digest = `'sha256-${hash('sha256', style, 'base64')}'`;
  return `default-src 'none'; style-src ${digest}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`;
};

/** Built at the first request. It handles one tool per turn of the event loop. */
export function docsDocument(registry: Registry, style = ''): () => Promise<Buffer> {
  return memoize(async () => {
    let body = '';
    for (const domain of registry.domains) {
      body += `<h2 id="${domain.name}">${escape(domain.title)} <small>${domain.name}</small></h2>`;
      for (const tool of registry.tools.filter((each) => each.domain === domain)) {
        body += section(tool);
        await nextTurn();
      }
    }
    const links = registry.domains.map(({ name, title }) => `<a href="#${name}">${escape(title)}</a>`).join(' ');
    return Buffer.from(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>API · Tamshai</title><style>${style}</style></head>
<body><header><a href="/">Tamshai</a><h1>API</h1>
<p>Send <code>Authorization: Bearer …</code> with a token for this address’s <code>/api</code>. Programs read <a href="/openapi.json">openapi.json</a>.</p>
<nav aria-label="Servers">${links}</nav></header>
<main>${body}</main></body></html>`);
  });
}
