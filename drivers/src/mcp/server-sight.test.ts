// What servers can see of labelled files, and what becomes of it.

import { join } from "node:path";
import { expect, test } from "vitest";
import type { Label, MachineFiles } from "@aos/protocol";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { plant, testProject } from "../../../tests/helpers/drivers/workspace-project.ts";
import type { McpConnection } from "./connection.ts";
import type { StdioDeclaration } from "./declaration.ts";
import { DeclaredVisibility } from "./declared-visibility.ts";
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

function setUp(here: ReturnType<typeof testProject>, more: Partial<StdioDeclaration> = {}) {
  const context = deviceContextForTest({
    fileLabels: isSecret,
    workspace: { folder: here.project, isCow: false },
  });
  const means = { workspaces: here.workspaces, quarantine: join(here.project, "..", "q") };
  const view = () => viewFor(declared(here.project, more), means, context, () => {});
  return { context, view };
}

test("PROCESS-VIEW-4: with hosts a project's server does not see what may not leave, by either name", async () => {
  using here = testProject({ "secret/plan": "1", open: "2" });
  const { view } = setUp(here, { hosts: ["a.example"] });

  const { hidden, sight } = await view();

  expect(hidden).toEqual(["/work/secret/plan", join(here.project, "secret/plan")]);
  expect(sight.labels).toEqual([]);
});

test("PROCESS-VIEW-4: without hosts it sees it, and the label is joined into every call", async () => {
  using here = testProject({ "secret/plan": "1", open: "2" });
  const { view, context } = setUp(here);
  const connection = { gone: new Promise(() => {}), close: async () => {} };
  const servers = new ProcessServers({
    name: "s",
    unusedMs: 1000,
    runner: {},
    viewFor: view,
    start: async () => connection as unknown as McpConnection,
  });

  await servers.use(context, async () => {});
  await servers.use(context, async () => {});
  await servers.close();

  expect(context.saw).toEqual([SECRET, SECRET]);
});

const NOBODY = () => {};
const mounted = (folder: string) => [{ from: folder, at: folder, mode: "read" as const }];
const files = (isReadable: (path: string) => boolean = () => true): MachineFiles => ({
  readableFiles: async () => isReadable,
  fileLabels: async () => ({ of: isSecret }),
});

test("DECLARED-VISIBILITY-1: the operator's server without hosts sees it, and passes on what it can see", async () => {
  using here = testProject({ "secret/plan": "1", open: "2" });
  const { context } = setUp(here);
  const sight = new DeclaredVisibility(declared(here.project, {}));

  expect(await sight.hiddenFor(mounted(here.project), files())).toEqual([]);
  await sight.see(context, NOBODY);

  expect(context.saw).toEqual([SECRET]);
  expect(context.asked).toEqual([]);
});

test("DECLARED-VISIBILITY-2: with hosts it does not see what may not leave, and its calls are clean", async () => {
  using here = testProject({ "secret/plan": "1", open: "2" });
  const { context } = setUp(here);
  const sight = new DeclaredVisibility(declared(here.project, { hosts: ["a.example"] }));

  const hidden = await sight.hiddenFor(mounted(here.project), files());
  await sight.see(context, NOBODY);

  expect(hidden).toEqual([join(here.project, "secret/plan")]);
  expect(context.saw).toEqual([]);
  expect(context.asked).toEqual([]);
});

test("DECLARED-VISIBILITY-2: what became secret while it runs: the gate is asked again, and it is started anew", async () => {
  using here = testProject({ "secret/plan": "1", open: "2" });
  const sight = new DeclaredVisibility(declared(here.project, { hosts: ["a.example"] }));
  await sight.hiddenFor(mounted(here.project), files());
  plant(here.project, { "secret/new": "3" });
  const strict = deviceContextForTest({ fileLabels: isSecret, grants: () => false });
  let isExposed = false;

  const call = sight.see(strict, () => (isExposed = true));

  await expect(call).rejects.toMatchObject({ code: "EACCES" });
  expect(strict.asked).toEqual([{ kind: "http", resource: "a.example:443/", verb: "post" }]);
  expect(isExposed).toBe(true);
});

test("DECLARED-VISIBILITY-3: what nobody may read looks empty, unless it is what the operator named", async () => {
  using here = testProject({ ".env": "KEY=1", "deep/.env": "KEY=2", open: "2" });
  const mayRead = (path: string) => !`${path}/`.includes("/.env/");
  const sight = new DeclaredVisibility(declared(here.project, {}));

  const hidden = await sight.hiddenFor(mounted(here.project), files(mayRead));
  const named = await sight.hiddenFor(mounted(join(here.project, ".env")), files(mayRead));

  expect(hidden.map(String).toSorted()).toEqual([
    join(here.project, ".env"),
    join(here.project, "deep/.env"),
  ]);
  expect(named).toEqual([]);
});

test("DECLARED-VISIBILITY-4: what one caller had read counts for the next, until the program is another", async () => {
  using here = testProject({ open: "2" });
  const sight = new DeclaredVisibility(declared(here.project, {}));
  const teller = deviceContextForTest({ hasRead: { integrity: "untrusted", secrecy: "secret" } });
  const [asker, later] = [deviceContextForTest(), deviceContextForTest()];

  await sight.see(teller, NOBODY);
  await sight.see(asker, NOBODY);
  await sight.hiddenFor([], undefined);
  await sight.see(later, NOBODY);

  expect([teller.saw, asker.saw, later.saw]).toEqual([[], [SECRET], []]);
});
