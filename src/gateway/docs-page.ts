/** The API documentation page at /docs, generated from the declarations, without external resources. */
import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { matrixRow } from '../engine/access.ts';
import { EXAMPLE_DAY, jsonSchema } from '../derive/answers.ts';
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
  <details><summary>Input</summary>${pretty(jsonSchema(tool.input, 'input'))}</details>
  <details><summary>Answer, <code>data</code></summary>${pretty(jsonSchema(tool.output, 'output'))}</details>
  <ul>${Object.keys(tool.errors)
    .map((code) => `<li><code>${code}</code> ${escape(toolFailure(code, tool.errors).suggestedAction)}</li>`)
    .join('')}</ul>
  ${tool.examples.map(({ question, as, input }) => `<p>${escape(as)}: “${escape(question)}” <code>${escape(JSON.stringify(input(EXAMPLE_DAY)))}</code></p>`).join('')}
</section>`;

const STYLE = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent)}
body{font:15px/1.55 system-ui,sans-serif;margin:0}
header,main{max-width:60rem;margin:0 auto;padding:1.25rem 1rem}
header{border-bottom:1px solid var(--line)}
nav a{margin-right:.9rem}
h1{font-size:1.5rem;margin:.2rem 0}
h2{margin:2.5rem 0 1rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}
section{border:1px solid var(--line);border-radius:8px;padding:.25rem 1rem 1rem;margin:0 0 1rem}
pre{overflow:auto;font-size:13px;padding:.75rem;border:1px solid var(--line);border-radius:6px}
code{font-size:.9em;overflow-wrap:anywhere}
summary{cursor:pointer}
`;
/** The content security policy allows the inline style sheet by its digest. */
const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`;

/** Built on first use, yielding to the event loop between tools. */
export function docsDocument(registry: Registry): () => Promise<Buffer> {
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
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>API · Tamshai</title><style>${STYLE}</style></head>
<body><header><a href="/">Tamshai</a><h1>API</h1>
<p>Send <code>Authorization: Bearer …</code> with a token for this address’s <code>/api</code>. Programs read <a href="/openapi.json">openapi.json</a>.</p>
<nav aria-label="Servers">${links}</nav></header>
<main>${body}</main></body></html>`);
  });
}

export const sendDocs = (reply: FastifyReply, page: Buffer): FastifyReply =>
  reply.headers({ 'content-security-policy': POLICY }).type('text/html; charset=utf-8').send(page);
