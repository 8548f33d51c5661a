// What servers can see of labelled files, and what becomes of it.

import { join } from "node:path";
import { expect, test } from "vitest";
import type { Label } from "@aos/protocol";
import { deviceContextForTest } from "../tools/device-context-for-test.ts";
import { yard } from "../workspace/project-for-test.ts";
import type { McpConnection } from "./connection.ts";
import type { StdioDeclaration } from "./declaration.ts";
import { seeDeclared } from "./declared-sight.ts";
import { ProcessServers } from "./process-servers.ts";
import { viewFor } from "./process-view.ts";

const SECRET: Label = { integrity: "trusted", secrecy: "secret" };
const isSecret = (path: string) => (path.includes("/secret/") ? SECRET : undefined);

const declared = (folder: string, more: Partial<StdioDeclaration>) =>
  ({
    kind: "stdio",
    name: "s",
    paths: [{ path: folder, mode: "read" }],
    hosts: [],
    within: folder,
    ...more,
  }) as unknown as StdioDeclaration;

function setUp(here: ReturnType<typeof yard>, more: Partial<StdioDeclaration> = {}) {
  const context = deviceContextForTest({
    fileLabels: isSecret,
    workspace: { folder: here.project, isCow: false },
  });
  const means = { workspaces: here.workspaces, quarantine: join(here.project, "..", "q") };
  const view = () => viewFor(declared(here.project, more), means, context, () => {});
  return { context, view };
}

test("V4: with hosts a project's server does not see what may not leave, by either name", async () => {
  using here = yard({ "secret/plan": "1", open: "2" });
  const { view } = setUp(here, { hosts: ["a.example"] });

  const { hidden, sight } = await view();

  expect(hidden).toEqual(["/work/secret/plan", join(here.project, "secret/plan")]);
  expect(sight.labels).toEqual([]);
});

test("V4: without hosts it sees it, and the label is joined into every call", async () => {
  using here = yard({ "secret/plan": "1", open: "2" });
  const { view, context } = setUp(here);
  const connection = { gone: new Promise(() => {}), close: async () => {} };
  const servers = new ProcessServers({
    name: "s",
    unusedMs: 1000,
    shop: {},
    viewFor: view,
    start: async () => connection as unknown as McpConnection,
  });

  await servers.use(context, async () => {});
  await servers.use(context, async () => {});
  await servers.close();

  expect(context.saw).toEqual([SECRET, SECRET]);
});

test("D1 D2: the operator's server passes on what it can see, and with hosts the gate is asked again", async () => {
  using here = yard({ "secret/plan": "1", open: "2" });
  const { context } = setUp(here);

  await seeDeclared(declared(here.project, {}), context);
  expect(context.saw).toEqual([SECRET]);
  expect(context.asked).toEqual([]);

  const strict = deviceContextForTest({ fileLabels: isSecret, grants: () => false });
  const call = seeDeclared(declared(here.project, { hosts: ["a.example"] }), strict);
  await expect(call).rejects.toMatchObject({ code: "EACCES" });
  expect(strict.asked).toEqual([{ kind: "http", resource: "a.example:443/", verb: "post" }]);
});
