// DocsPage: the OpenAPI document as one page of HTML, to read, and to try the operations of /api/v1 from. Its one
// script is try-it.mjs, and nothing is loaded from elsewhere.
//
// DOCS-PAGE-1  The page holds all operations and all schemas of the document.
// DOCS-PAGE-2  Every operation of /api/v1 can be tried; it can be read without scripts.

import { API_ROOT } from "@aos/protocol";
import { DOCS_STYLE } from "./openapi/docs-style.ts";
import { operationsOf } from "./openapi/document.ts";
import type {
  ResponseObject,
  JsonSchema,
  OpenapiDocument,
  OperationObject,
  Parameter,
  Reference,
} from "./openapi/document-words.ts";
import { escape, schemaText } from "./openapi/schema-text.ts";
import { tryForm } from "./openapi/try-form.ts";

export { DOCS_STYLE };

type Located = ReturnType<typeof operationsOf>[number];

export function renderDocs(document: OpenapiDocument): string {
  const { info, tags, paths, components } = document;
  const located = operationsOf(paths);
  const byTag = tags.map((tag) => ({
    ...tag,
    operations: located.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const nav = byTag.map(
    ({ name, operations }) =>
      `<details><summary>${escape(name)}</summary><ul>${operations.map(navRow).join("")}</ul></details>`,
  );
  const chapters = byTag.map(
    ({ name, description, operations }) =>
      `<section><h2>${escape(name)}</h2><p>${prose(description)}</p>${operations.map((one) => article(one, document)).join("")}</section>`,
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<article id="schema-${escape(name)}"><h3>${escape(name)}</h3>${described(schema)}${typeBox(schema)}</article>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(info.title)} API</title><link rel="icon" href="/favicon.svg" type="image/svg+xml"><link rel="stylesheet" href="/docs/reference/style.css"><script type="module" src="/docs/reference/try-it.js"></script></head>
<body><nav aria-label="Operations"><p><a href="/docs/">Documentation</a></p><p><strong>${escape(info.title)}</strong> ${escape(info.version)}</p>
${nav.join("\n")}<p><a href="#schemas">Schemas</a></p></nav>
<main><h1>${escape(info.title)} API</h1>
${info.description
  .split("\n\n")
  .map((paragraph) => `<p>${prose(paragraph)}</p>`)
  .join("\n")}
<p>For programs: <a href="/openapi.json">/openapi.json</a> (OpenAPI ${document.openapi}).</p>
${chapters.join("\n")}
<section id="schemas"><h2>Schemas</h2>${schemas.join("\n")}</section></main></body></html>
`;
}

const navRow = ({ method, address, operation: { operationId, summary } }: Located): string =>
  `<li><a href="#${escape(operationId)}" title="${method.toUpperCase()} ${escape(address)}">${prose(summary)}</a></li>`;

function article({ method, address, operation }: Located, document: OpenapiDocument): string {
  const { operationId, summary, description, security } = operation;
  const who = security.length === 0 ? "For everybody: no token is needed." : (description ?? "");
  const more = security.length === 0 && description !== undefined ? ` ${description}` : "";
  return `<article id="${escape(operationId)}"><h3><span class="${method}">${method.toUpperCase()}</span>
<code>${escape(address)}</code></h3><p>${prose(summary)} ${prose(who + more)} <small>${escape(operationId)}</small></p>
${parametersOf(operation, document)}${bodyOf(operation)}${answersOf(operation, document)}${tryOf({ method, address, operation }, document)}</article>`;
}

/** DOCS-PAGE-2. */
function tryOf({ method, address, operation }: Located, document: OpenapiDocument): string {
  if (!address.startsWith(`${API_ROOT}/`)) return "";
  const parameters = (operation.parameters ?? []).map((one) => found<Parameter>(one, document));
  const body = Object.values(operation.requestBody?.content ?? {})[0];
  return tryForm({ method, address, parameters, body });
}

function parametersOf({ parameters = [] }: OperationObject, document: OpenapiDocument): string {
  if (parameters.length === 0) return "";
  const rows = parameters
    .map((one) => found<Parameter>(one, document))
    .map(
      ({ name, in: place, required, description = "", schema }) =>
        `<tr><td><code>${escape(name)}</code>${required === true ? "" : " <small>optional</small>"}</td><td>${place}</td><td><code>${schemaText(schema)}</code></td><td>${prose(description)}</td></tr>`,
    );
  return `<div class="wide" tabindex="0"><table><thead><tr><th>name</th><th>in</th><th>type</th><th>meaning</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

function bodyOf({ requestBody }: OperationObject): string {
  const media = Object.values(requestBody?.content ?? {})[0];
  if (media?.schema === undefined || isEmpty(media.schema)) return "";
  return `<h4>Body</h4>${typeBox(media.schema)}${exampleBox(media.example)}`;
}

const isEmpty = ({ type, properties = {} }: JsonSchema): boolean =>
  type === "object" && Object.keys(properties as object).length === 0;

/** What goes well is shown in full; of what does not, the statuses. */
function answersOf({ responses }: OperationObject, document: OpenapiDocument): string {
  const all = Object.entries(responses).map(
    ([status, one]) => [status, found<ResponseObject>(one, document)] as const,
  );
  const isProblem = ({ content = {} }: ResponseObject) => "application/problem+json" in content;
  const good = all.filter(([, answer]) => !isProblem(answer));
  const bad = all.filter(([, answer]) => isProblem(answer));
  const shown = good.map(([status, { description, content = {} }]) => {
    const kinds = Object.entries(content).map(
      ([type, { schema, example }]) =>
        `<p><small>${escape(type)}</small></p>${schema === undefined ? "" : described(schema) + typeBox(contentOf(schema))}${exampleBox(example)}`,
    );
    return `<h4>${status}</h4><p>${prose(description)}</p>${kinds.join("")}`;
  });
  const problems = bad.map(
    ([status, { description }]) => `<dt>${status}</dt><dd>${prose(description)}</dd>`,
  );
  return `${shown.join("")}<details><summary>Problems</summary><dl>${problems.join("")}</dl></details>`;
}

/** Of a stream: what each piece is. */
const contentOf = (schema: JsonSchema): JsonSchema =>
  (schema["contentSchema"] as JsonSchema | undefined) ?? schema;

const typeBox = (schema: JsonSchema): string => `<pre tabindex="0">${schemaText(schema)}</pre>`;

const exampleBox = (example: unknown): string =>
  example === undefined
    ? ""
    : `<details><summary>Example</summary><pre tabindex="0">${escape(JSON.stringify(example, null, 2))}</pre></details>`;

const described = ({ description }: JsonSchema): string =>
  typeof description === "string" ? `<p>${prose(description)}</p>` : "";

/** `code` is all the markup that our texts have. */
const prose = (text: string): string => escape(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");

function found<Thing>(one: Thing | Reference, { components }: OpenapiDocument): Thing {
  if (typeof one !== "object" || one === null || !("$ref" in one)) return one as Thing;
  const [, , kind, name] = one.$ref.split("/") as [string, string, keyof typeof components, string];
  return components[kind][name] as Thing;
}
