// record/PROVIDER/MODEL: what a real model said becomes a script that says it again.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel } from "@aos/daemon";
import type { Kernel } from "@aos/kernel";
import type { Json, Program } from "@aos/protocol";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createRecordModels } from "@aos/daemon/parts";
import { say, talkative, type Talkative } from "./talk.ts";

let folder: string;
let model: Talkative;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aos-record-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  model = talkative();
});

const recordings = () => join(folder, "recordings");
const script = (): string => {
  const [file = ""] = readdirSync(recordings());
  return readFileSync(join(recordings(), file), "utf8");
};
const scriptName = (): string => readdirSync(recordings())[0]!.replace(/\.yaml$/, "");

async function boot(
  programs: Record<string, Program> = {},
  { isKept = false } = {},
): Promise<Kernel> {
  const kernel: Kernel = await createKernel({
    ...(isKept ? { store: { file: join(folder, "aos.db") } } : {}),
    secretKeyFile: join(folder, "secret.key"),
    programs,
    scriptFolders: [recordings()],
    models: [
      model,
      createRecordModels({
        kernel: () => kernel,
        folder: recordings(),
        driverOf: (provider) => (provider === model.provider ? model : undefined),
        onTrouble: () => {},
      }),
    ],
  });
  return kernel;
}

const agentOf = (asked: string, capabilities: string[], program = "agent") => ({
  manifest: {
    apiVersion: "aos/v1" as const,
    kind: "Agent" as const,
    name: "writer",
    program,
    ...(program === "agent" ? { model: asked, tools: ["echo"] } : {}),
    capabilities,
  },
});

const both = ["model:record/talk/a:infer", "model:talk/a:infer", "tool:echo:call"];

/** The calls of an agent and how it ended, without what is another's each time. */
async function storyOf(kernel: Kernel, pid: string): Promise<Json> {
  const { output } = await kernel.wait(pid);
  const calls = (await kernel.journal(pid)).flatMap((record) =>
    "call" in record && record.call === "exec" ? [record.args] : [],
  );
  return { output, calls };
}

test("RECORDING-1: what was recorded plays the same: words, tool calls, parallel ones", async () => {
  const kernel = await boot();
  onTestFinished(() => kernel.close());
  const call = (id: string, text: string) => ({ id, tool: "echo", args: { text } });
  model.says(
    { text: "let me see {{last}}", toolCalls: [call("v1", "a"), call("v2", "{{b}}")] },
    { toolCalls: [call("v3", "c")] },
    say("all done: {{input}}"),
  );
  const recorded = await kernel.spawn({ ...agentOf("record/talk/a", both), input: "go" });
  const story = await storyOf(kernel, recorded);

  const name = `scripted/${scriptName()}`;
  const may = ["model:scripted/*:infer", "tool:echo:call"];
  const played = await kernel.spawn({ ...agentOf(name, may), input: "go" });

  expect(await storyOf(kernel, played)).toEqual(story);
  expect(story).toMatchObject({ output: "all done: {{input}}" });
  expect(model.asked).toHaveLength(3);
  expect(scriptName()).toBe(`writer-${recorded}`);
  expect(statSync(join(recordings(), `${scriptName()}.yaml`)).mode & 0o777).toBe(0o600);
});

test("the recording costs what the model costs, and takes the model's place", async () => {
  const kernel = await boot();
  onTestFinished(() => kernel.close());
  model.says(say("done"));

  const pid = await kernel.spawn({ ...agentOf("record/talk/a", both), input: "go" });
  await kernel.wait(pid);

  expect((await kernel.show(pid)).costUsd).toBe(0.5);
  const { slots } = await kernel.queue();
  expect(slots.map((slot) => slot.model)).toEqual(["talk/a"]);
});

test.each([
  ["the right to the model itself", ["model:record/talk/a:infer"]],
  ["the right to record", ["model:talk/a:infer"]],
])("RECORD-MODEL-1: without %s nothing is asked", async (_, capabilities) => {
  const kernel = await boot({ once });
  onTestFinished(() => kernel.close());
  model.says(say("never"));

  const pid = await kernel.spawn(agentOf("", capabilities, "once"));

  expect(await kernel.wait(pid)).toMatchObject({ state: "failed", error: { code: "EACCES" } });
  expect(model.asked).toEqual([]);
});

const once: Program = async (sys) => {
  const messages = [{ role: "user" as const, content: "hi" }];
  return (await sys.infer({ model: "record/talk/a", messages })).text;
};

test("RECORD-MODEL-2: secrets are not in the script", async () => {
  const kernel = await boot({ once });
  onTestFinished(() => kernel.close());
  await kernel.setSecret({ name: "PIN", value: "correct-horse-battery", bindings: [] }, "test");
  model.says(say("it is correct-horse-battery"));

  await kernel.wait(await kernel.spawn(agentOf("", both, "once")));

  expect(script()).toContain("it is ");
  expect(script()).not.toContain("correct-horse");
});

test("RECORD-MODEL-3: where nothing can be written the model is not asked", async () => {
  const kernel = await boot({ once });
  onTestFinished(() => kernel.close());
  writeFileSync(recordings(), "a file where the folder should be");
  model.says(say("never"));

  const ending = await kernel.wait(await kernel.spawn(agentOf("", both, "once")));

  expect(ending.error?.message).toContain("cannot record in");
  expect(model.asked).toEqual([]);
});

test("RECORD-MODEL-4: what was said before a restart is in the script too", async () => {
  const twice: Program = async (sys) => {
    const first = await once(sys, null);
    await sys.receive();
    return [first as Json, (await once(sys, null)) as Json];
  };
  model.says(say("before"), say("after"));
  const before = await boot({ twice }, { isKept: true });
  const pid = await before.spawn(agentOf("", both, "twice"));
  await expect.poll(() => model.asked.length).toBe(1);
  await expect.poll(async () => (await before.show(pid)).waitingOn).toBe("message");
  await before.close();
  rmSync(recordings(), { recursive: true });

  const kernel = await boot({ twice }, { isKept: true });
  onTestFinished(() => kernel.close());
  await kernel.send(pid, "go on");
  await kernel.wait(pid);

  expect(script()).toContain("say: before");
  expect(script()).toContain("say: after");
});
