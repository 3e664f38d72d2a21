// Renders the OpenAPI document as an HTML page without scripts or external resources.
import { hash } from 'node:crypto';

type Json = Record<string, unknown>;

const plain = (text: unknown): string =>
  String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const rich = (text: unknown): string =>
  plain(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n\n', '</p><p>');
const anchor = (method: string, path: string): string => `${method}${path.replace(/[^a-z0-9]+/gi, '-')}`.toLowerCase();

function typeOf(schema: Json | undefined): string {
  if (!schema) return '';
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1);
    return `<a href="#schema-${plain(name)}">${plain(name)}</a>`;
  }
  const union = schema.anyOf as Json[] | undefined;
  if (union) return union.map(typeOf).join(' or ');
  const allowed = (schema.enum ?? ('const' in schema ? [schema.const] : undefined)) as unknown[] | undefined;
  if (allowed) return allowed.map((value) => plain(JSON.stringify(value))).join(' or ');
  if (schema.type === 'array') {
    const items = typeOf(schema.items as Json) || 'anything';
    return items.includes(' or ') ? `array of (${items})` : `array of ${items}`;
  }
  const bounds = [
    schema.minimum !== undefined ? `from ${schema.minimum}` : '',
    schema.maximum !== undefined ? `up to ${schema.maximum}` : '',
    schema.maxLength !== undefined ? `at most ${schema.maxLength} characters` : '',
    schema.default !== undefined ? `default ${schema.default}` : '',
  ].filter(Boolean);
  return plain([schema.type ?? 'anything', ...bounds].join(', '));
}

/** The description of a field, of its non-null alternative, or of its items. */
function notes(schema: Json): string {
  const parts = [schema, ...((schema.anyOf ?? []) as Json[]), ...(schema.items ? [schema.items as Json] : [])];
  const told = parts.find(({ description }) => description !== undefined)?.description;
  return told === undefined ? '' : rich(told);
}

/** The fields of an object without a title, however deep it is nested in the schema of a field. */
function inner(schema: Json): string {
  const parts = [schema, ...((schema.anyOf ?? []) as Json[]), ...(schema.items ? [schema.items as Json] : [])];
  const object = parts.find(({ properties }) => properties !== undefined);
  return object ? `<details><summary>Its fields</summary>${fields(object)}</details>` : '';
}

function fields(schema: Json): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  if (!properties.length) return `<p class="type">${typeOf(schema)}</p>`;
  const required = new Set((schema.required ?? []) as string[]);
  // The spellings of required fields, one of which is needed.
  const spellings = ((schema.allOf ?? []) as { anyOf: { properties: Record<string, Json> }[] }[])
    .flatMap(({ anyOf }) => anyOf)
    .flatMap((one) => Object.entries(one.properties));
  for (const [name] of spellings) required.add(name);
  const rows = [...spellings, ...properties].map(
    ([name, property]) =>
      `<tr><td><code>${plain(name)}</code>${required.has(name) ? '' : ' <small>optional</small>'}</td><td>${typeOf(property)}</td><td>${notes(property)}${inner(property)}</td></tr>`,
  );
  return `<div class="scroll" tabindex="0" role="region" aria-label="Fields"><table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

const example = (title: string, value: unknown): string =>
  value === undefined
    ? ''
    : `<details><summary>${title}</summary><pre tabindex="0">${plain(JSON.stringify(value, null, 2))}</pre></details>`;

function operation(method: string, path: string, item: Json): string {
  const parameters = (item.parameters as Json[]).map(
    (parameter) =>
      `<tr><td><code>${plain(parameter.name)}</code></td><td>${plain(parameter.in)}</td><td>${typeOf(parameter.schema as Json)}</td><td>${rich(parameter.description ?? '')}</td></tr>`,
  );
  const body = (item.requestBody as { content: Record<string, { schema: Json; example?: unknown }> } | undefined)
    ?.content['application/json'];
  const responses = Object.entries(
    item.responses as Record<
      string,
      { description: string; content?: Record<string, { schema: Json; example?: unknown }> }
    >,
  );
  const examples: string[] = [];
  const answers = responses.map(([status, response]) => {
    const content = response.content && Object.values(response.content)[0];
    const isProblem = Number(status) >= 400;
    if (!isProblem && content?.example !== undefined) examples.push(example(`Example of ${status}`, content.example));
    return `<tr><td><code>${status}</code></td><td>${plain(response.description)}</td><td>${content ? typeOf(content.schema) : ''}</td></tr>`;
  });
  return `<article id="${anchor(method, path)}"><h3><span class="verb ${method}">${method.toUpperCase()}</span> <code>${plain(path)}</code></h3>
<p><strong>${plain(item.summary)}.</strong></p><p>${rich(item.description)}</p>
<details><summary>Parameters and headers of ${method.toUpperCase()} ${plain(path)}</summary><div class="scroll" tabindex="0" role="region" aria-label="Parameters and headers"><table><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead><tbody>${parameters.join('')}</tbody></table></div></details>
${body ? `<h4>Body</h4>${fields(body.schema)}${example('Example body', body.example)}` : ''}
<h4>Answers</h4><div class="scroll" tabindex="0" role="region" aria-label="Answers"><table><thead><tr><th scope="col">Status</th><th scope="col">Meaning</th><th scope="col">Body</th></tr></thead><tbody>${answers.join('')}</tbody></table></div>${examples.join('')}</article>`;
}

const style = `:root{color-scheme:light dark;--line:light-dark(#d8dde3,#3a424c);--quiet:light-dark(#566170,#a3afbd);--paper:light-dark(#fff,#14181d);--ink:light-dark(#1b2128,#e6eaef);--tint:light-dark(#f4f6f8,#1d232a);--accent:light-dark(#0b5cad,#7db8f5)}
*{box-sizing:border-box}body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper)}a{color:var(--accent)}
.page{display:grid;grid-template-columns:17rem minmax(0,1fr);max-width:84rem;margin:0 auto}nav{padding:1.5rem 1rem;border-right:1px solid var(--line);font-size:.875rem;position:sticky;top:0;max-height:100vh;overflow:auto}
nav h2{font-size:.8rem;text-transform:uppercase;letter-spacing:.05em;color:var(--quiet);margin:1.2rem 0 .3rem}nav ul{list-style:none;margin:0;padding:0}nav li{margin:.15rem 0}nav a{text-decoration:none}nav a:hover{text-decoration:underline}
main{padding:1.5rem 2rem;min-width:0}article{border-top:1px solid var(--line);padding:1rem 0 1.5rem}h3{font-size:1.05rem;margin:.5rem 0;overflow-wrap:anywhere}h4{margin:1rem 0 .3rem}
table{border-collapse:collapse;width:100%;font-size:.9rem;margin:.4rem 0}.scroll{overflow-x:auto}.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem}th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid var(--line);overflow-wrap:break-word}td:first-child,th{white-space:nowrap}td table{font-size:1em}th{color:var(--quiet);font-weight:600}
code,pre{font-family:ui-monospace,monospace;font-size:.9em}pre{background:var(--tint);padding:.8rem;overflow:auto;border-radius:6px}small,.type{color:var(--quiet)}summary{cursor:pointer;color:var(--accent);padding:.2rem 0}
.verb{display:inline-block;min-width:4.2rem;text-align:center;border-radius:4px;padding:.1rem .4rem;font:600 .8rem ui-monospace,monospace;color:#fff;background:#3d5a80}.get{background:#1f6f43}.post{background:#0b5cad}.put{background:#7a4b00}.delete{background:#a3262e}
@media(max-width:56rem){.page{display:block}nav{position:static;max-height:none;border:0;border-bottom:1px solid var(--line)}.scroll table{min-width:34rem}main{padding:1rem}h1{font-size:1.5rem}}`;

/** Sent as a header: browsers ignore frame-ancestors in a page. Only the page's own style applies. */
export const referencePagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function renderReferencePage(document: Json): string {
  const paths = Object.entries(document.paths as Record<string, Record<string, Json>>);
  const all = paths.flatMap(([path, item]) =>
    Object.entries(item).map(([method, value]) => ({ path, method, item: value })),
  );
  const byTag = Map.groupBy(all, ({ item }) => String((item.tags as string[])[0]));
  const schemas = Object.entries((document.components as { schemas: Record<string, Json> }).schemas);
  const problems = document['x-problems'] as { code: string; status: number; sentence: string }[];
  const menu = [...byTag].map(
    ([tag, list]) =>
      `<h2>${plain(tag)}</h2><ul>${list.map(({ method, path, item }) => `<li><a href="#${anchor(method, path)}">${plain(item.summary)}</a></li>`).join('')}</ul>`,
  );
  const info = document.info as { title: string; version: string; description: string };
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,"><title>${plain(info.title)} API reference</title><style>${style}</style></head><body><a class="skip" href="#main">Skip to the reference</a><div class="page">
<nav id="operations" aria-label="Operations"><details class="menu" open><summary><strong>${plain(info.title)} API ${plain(info.version)}</strong></summary>${menu.join('')}<h2>More</h2><ul><li><a href="#problems">Error codes</a></li><li><a href="#schemas">Schemas</a></li><li><a href="/openapi.json">openapi.json</a></li></ul></details></nav>
<main id="main"><h1>${plain(info.title)} API reference</h1><p>${rich(info.description)}</p>
${[...byTag].map(([tag, list]) => `<section><h2>${plain(tag)}</h2>${list.map(({ method, path, item }) => operation(method, path, item)).join('')}</section>`).join('')}
<section id="problems"><h2>Error codes</h2><div class="scroll" tabindex="0" role="region" aria-label="Error codes"><table><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Sentence</th></tr></thead><tbody>${problems.map(({ code, status, sentence }) => `<tr><td><code>${plain(code)}</code></td><td>${status}</td><td>${plain(sentence)}</td></tr>`).join('')}</tbody></table></div></section>
<section id="schemas"><h2>Schemas</h2><p>Of what a connector leads to there are four: <code>create</code> is what a creation takes, <code>change</code> what a change takes, <code>read</code> and <code>write</code> are the two models that are shown.</p>${schemas.map(([name, schema]) => `<article id="schema-${plain(name)}"><h3>${plain(name)}</h3>${schema.description ? `<p>${rich(schema.description)}</p>` : ''}${fields(schema)}${((schema.examples ?? []) as unknown[]).map((value) => example('Example', value)).join('')}</article>`).join('')}</section>
</main></div></body></html>`;
}
