import { describe, expect, test } from "vitest";
import { readMcpFile } from "./mcp-file.ts";

const operators = { file: "mcp.yaml" };
const project = { file: "/p/.agents/mcp.yaml", project: "/p" };

test("a server is read, with what it may reach", () => {
  const [docs, tracker] = readMcpFile(
    `servers:
  docs:
    command: [mcp-server-filesystem, /srv]
    paths: [/srv, "/out:rw"]
    env: { A: $KEY, B: $$x, C: c }
    tools: { allow: [read], deny: [write] }
    effects: { read: read }
    trust: [annotations]
  tracker:
    url: https://mcp.example.com/mcp
    headers: { authorization: $TOKEN }
`,
    operators,
  );

  expect(docs).toMatchObject({
    kind: "stdio",
    isOperators: true,
    paths: [
      { path: "/srv", mode: "read" },
      { path: "/out", mode: "write" },
    ],
    env: { A: { secret: "KEY" }, B: { text: "$x" }, C: { text: "c" } },
    allow: ["read"],
    deny: ["write"],
    effects: { read: "read" },
    trustsAnnotations: true,
    trustsDescriptions: false,
  });
  expect(tracker).toMatchObject({ kind: "http", headers: { authorization: { secret: "TOKEN" } } });
});

test("MCP-FILE-2: what a project declares is within the project", () => {
  const text = 'servers:\n  a:\n    command: [./bin/server]\n    paths: [".:rw", docs]\n';

  expect(readMcpFile(text, project)).toMatchObject([
    {
      isOperators: false,
      within: "/p",
      command: ["/p/bin/server"],
      paths: [
        { path: "/p", mode: "write" },
        { path: "/p/docs", mode: "read" },
      ],
    },
  ]);
});

const server = (...lines: string[]) =>
  ["servers:", "  a:", ...lines.map((one) => `    ${one}`)].join("\n");

describe("MCP-FILE-1: refused, with its line, is", () => {
  test.each<[what: string, text: string, where: object, message: RegExp]>([
    [
      "an unknown field",
      server("comand: [x]"),
      operators,
      /mcp\.yaml:3: servers\.a\.comand: unknown field/,
    ],
    [
      "neither command nor url",
      server("hosts: []"),
      operators,
      /:2: servers\.a: .*either a command or a url/,
    ],
    [
      "both",
      server("command: [x]", "url: https://a.example/"),
      operators,
      /either a command or a url/,
    ],
    ["another scheme", server("url: ftp://a.example/"), operators, /servers\.a\.url/],
    ["a name with a dot", "servers:\n  a.b: { command: [x] }", operators, /a-z 0-9/],
    [
      "a half secret",
      server("command: [x]", "env: { A: $a b }"),
      operators,
      /:4: servers\.a\.env\.A/,
    ],
    ["a relative path", server("command: [x]", "paths: [a]"), operators, /must be absolute/],
    ["a host with a path", server("command: [x]", "hosts: [a.example/x]"), operators, /hosts\[0\]/],
    ["headers for a program", server("command: [x]", "headers: { a: b }"), operators, /headers/],
    [
      "a header of the connection",
      server("url: https://a.example/", "headers: { Host: b }"),
      operators,
      /cannot be set/,
    ],
    [
      "paths for an address",
      server("url: https://a.example/", "paths: [/a]"),
      operators,
      /paths need a command/,
    ],
    [
      "a project's path outside",
      server("command: [x]", "paths: [../q]"),
      project,
      /outside the project/,
    ],
    [
      "a project's path elsewhere",
      server("command: [x]", "paths: [/etc]"),
      project,
      /outside the project/,
    ],
    ["a project's program elsewhere", server("command: [/opt/x]"), project, /below the project/],
    [
      "a project's word for itself",
      server("command: [x]", "trust: [annotations]"),
      project,
      /only the operator can/,
    ],
    [
      "a project's word for its tools",
      server("command: [x]", "effects: { a: read }"),
      project,
      /only the operator can/,
    ],
  ])("%s", (_what, text, where, message) => {
    expect(() => readMcpFile(text, where as typeof operators)).toThrow(message);
  });
});
