import { operationNames, operationOf, operations, routes, type OperationName } from "@aos/protocol";
import { expect, test } from "vitest";
import { renderDocs } from "../docs-page.ts";
import { openapiDocument, operationsOf } from "./document.ts";
import type { JsonSchema } from "./document-words.ts";
import { examples } from "./examples.ts";
import { schemaText } from "./schema-text.ts";

const document = openapiDocument("1.2.3");
const all = operationsOf(document.paths);
const byName = (name: string) => all.find(({ operation }) => operation.operationId === name)!;

test("every row is an operation, with its arguments where they travel", () => {
  for (const name of operationNames) {
    const { method, address, operation } = byName(name);
    const { params, query, body } = operations[name];
    expect(`${method.toUpperCase()} ${address}`).toBe(
      `${routes[name].method} /api/v1${routes[name].path.replaceAll(/:(\w+)/g, "{$1}")}`,
    );
    const named = (place: string) =>
      (operation.parameters ?? []).flatMap((one) =>
        "in" in one && one.in === place ? [one.name] : [],
      );
    expect([name, named("path")]).toEqual([name, Object.keys(params.shape)]);
    expect([name, named("query")]).toEqual([name, Object.keys(query.shape)]);
    const sent = operation.requestBody?.content["application/json"]?.schema;
    const fields = Object.keys((sent?.["properties"] ?? {}) as object);
    expect([name, fields]).toEqual([name, Object.keys(body.shape)]);
  }
});

test("an operation has a name and a chapter that no other has taken away", () => {
  const names = all.map(({ operation }) => operation.operationId);
  const chapters = new Set(document.tags.map(({ name }) => name));

  expect(new Set(names).size).toBe(names.length);
  for (const { operation } of all)
    expect([operation.operationId, chapters.has(operation.tags[0]!)]).toEqual([
      operation.operationId,
      true,
    ]);
});

test("who may call is said: the role of a row, and nobody for what is open", () => {
  expect(byName("spawn").operation.security).toEqual([
    { token: ["operator"] },
    { session: ["operator"] },
  ]);
  expect(byName("answer").operation.security[0]).toEqual({ token: ["approver"] });
  expect(byName("healthz").operation.security).toEqual([]);
});

test("a key for asking again is offered where it is taken, and nowhere else", () => {
  const takes = (name: string) =>
    JSON.stringify(byName(name).operation.parameters).includes("IdempotencyKey");

  expect(takes("spawn")).toBe(true);
  expect(["list", "runTests", "createAccessToken"].filter(takes)).toEqual([]);
});

test("every reference leads somewhere", () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];

  const lost = refs.filter(
    ([, kind, name]) =>
      !Object.hasOwn(document.components[kind as keyof typeof document.components], name ?? ""),
  );
  expect(refs.length).toBeGreaterThan(100);
  expect(lost).toEqual([]);
});

test("an answer allows no field that its schema does not know", () => {
  const { ProcessInfo } = document.components.schemas;

  expect(ProcessInfo).toMatchObject({ additionalProperties: false });
  expect(ProcessInfo?.["required"]).toContain("waitingOn");
});

test("a stream says what each of its pieces is", () => {
  const { responses } = byName("watch").operation;

  expect(responses["200"]).toMatchObject({
    content: {
      "application/x-ndjson": {
        schema: { type: "string", contentSchema: { $ref: "#/components/schemas/JournalRecord" } },
      },
    },
  });
});

test.each(Object.keys(examples) as OperationName[])("the example of %s is one", (name) => {
  const { body, answer } = examples[name]!;

  if (body !== undefined) expect(operations[name].body.safeParse(body).error).toBeUndefined();
  if (answer !== undefined)
    expect(operationOf(name).response.safeParse(answer).error).toBeUndefined();
});

test("the page shows every operation and every schema, and loads nothing from elsewhere", () => {
  const page = renderDocs(document);

  for (const { operation } of all)
    expect(page).toContain(`<article id="${operation.operationId}">`);
  for (const name of Object.keys(document.components.schemas))
    expect(page).toContain(`<article id="schema-${name}">`);
  expect(page).not.toMatch(
    /<script(?! type="module" src="\/docs\/reference\/try-it\.js"><\/script>)|style=|(src|href)="(https?:)?\/\//,
  );
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => `id="${id}"`);
  expect(links.filter((id) => !page.includes(id))).toEqual([]);
});

test("what a schema says is text of the page, never markup", () => {
  const schema: JsonSchema = {
    type: "object",
    properties: { "<img>": { type: "string", description: "<b>bold</b> & more" } },
  };

  expect(schemaText(schema)).toBe(
    "{\n  <b>&lt;img&gt;</b>?: string  <em>&lt;b&gt;bold&lt;/b&gt; &amp; more</em>\n}",
  );
});

test("DOCS-PAGE-2: every operation of /api/v1 has a form that is closed until the script opens it", () => {
  const page = renderDocs(document);

  const forms = Array.from(
    page.matchAll(
      /<form class="try" data-method="(\w+)" data-path="([^"]+)">\n<fieldset disabled>/g,
    ),
    ([, method, path]) => `${method} ${path}`,
  );
  const wanted = all
    .filter(({ address }) => address.startsWith("/api/v1/"))
    .map(({ method, address }) => `${method.toUpperCase()} ${address}`);
  expect(forms.toSorted()).toEqual(wanted.toSorted());
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).not.toMatch(/\son\w+=|javascript:/);
});
