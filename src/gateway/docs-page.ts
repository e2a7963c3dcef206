/** The API for a reader: one plain page, made from the declarations, that loads nothing. */
import type { FastifyReply } from 'fastify';
import { matrixRow } from '../core/access.ts';
import { EXAMPLE_DAY, jsonSchema } from '../core/derive/answers.ts';
import { toolFailure } from '../core/errors.ts';
import type { Registry } from '../core/registry.ts';
import type { Tool } from '../core/tool.ts';
import { memoize, nextTurn } from '../core/turns.ts';

const escape = (text: string) => text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
const pretty = (value: unknown) => `<pre>${escape(JSON.stringify(value, null, 2))}</pre>`;

const section = (tool: Tool) => `
<section id="${tool.domain.name}.${tool.name}">
  <h3>${escape(tool.title)} <code>POST /api/tools/${tool.domain.name}/${tool.name}</code></h3>
  <p>${escape(tool.description)}</p>
  <p>${[...matrixRow(tool)].map(([role, sees]) => `<b>${role}</b> sees ${escape(sees)}`).join('; ')}.</p>
  <details><summary>Input</summary>${pretty(jsonSchema(tool.input, 'input'))}</details>
  <details><summary>Answer, <code>data</code></summary>${pretty(jsonSchema(tool.output, 'output'))}</details>
  <ul>${Object.keys(tool.errors).map((code) => `<li><code>${code}</code> ${escape(toolFailure(code, tool.errors).suggestedAction)}</li>`).join('')}</ul>
  ${tool.examples.map(({ ask, as, input }) => `<p>${escape(as)}: “${escape(ask)}” <code>${escape(JSON.stringify(input(EXAMPLE_DAY)))}</code></p>`).join('')}
</section>`;

const STYLE = 'body{font:15px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}pre{overflow:auto;font-size:13px}h2{border-top:1px solid;padding-top:1rem}code{font-size:.9em}';

/** The page as bytes, made when first asked for, in turns. */
export function docsDocument(registry: Registry): () => Promise<Buffer> {
  return memoize(async () => {
    let body = '';
    for (const domain of registry.domains) {
      body += `<h2>${escape(domain.title)} <small>${domain.name}</small></h2>`;
      for (const tool of registry.tools.filter((each) => each.domain === domain)) {
        body += section(tool);
        await nextTurn();
      }
    }
    return Buffer.from(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Tamshai API</title><style>${STYLE}</style>
<h1>Tamshai API</h1><p>Send <code>Authorization: Bearer …</code> with a token for this address’s <code>/api</code>. Machines read <a href="/openapi.json">openapi.json</a>.</p>${body}</html>`);
  });
}

export const sendDocs = (reply: FastifyReply, page: Buffer): FastifyReply =>
  reply
    .headers({ 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'" })
    .type('text/html; charset=utf-8')
    .send(page);
