// An MCP server over standard input and output, with two tools and no packages. Any server will do:
// this one is here so that the example needs nothing from outside.

import { createInterface } from "node:readline";

const BOOKS = [
  { title: "The Art of Computer Programming", author: "Donald Knuth", shelf: "A3" },
  { title: "Notes on the Analytical Engine", author: "Ada Lovelace", shelf: "A1" },
  { title: "A Compiler for COBOL", author: "Grace Hopper", shelf: "B2" },
];

const words = { type: "object", required: ["words"], properties: { words: { type: "string" } } };
const title = { type: "object", required: ["title"], properties: { title: { type: "string" } } };

const tools = [
  { name: "find", description: "Find books by words of title or author.", inputSchema: words },
  { name: "lend", description: "Lend a book.", inputSchema: title },
];

const calls = {
  find: ({ words: asked }) => {
    const has = (book) =>
      `${book.title} ${book.author}`.toLowerCase().includes(asked.toLowerCase());
    const found = BOOKS.filter(has).map((book) => `${book.title}, shelf ${book.shelf}`);
    return found.join("; ") || "nothing";
  },
  lend: ({ title: asked }) => `${asked} is yours for four weeks`,
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "library", version: "1" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: given }) => ({
    content: [{ type: "text", text: calls[name](given) }],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue; // A notification wants no answer.
  const answer = methods[method];
  const body =
    answer === undefined
      ? { error: { code: -32601, message: `no method ${method}` } }
      : { result: answer(params ?? {}) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
}
