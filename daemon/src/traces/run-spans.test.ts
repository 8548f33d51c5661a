// `RUN-SPANS-1` and the like are the invariants of run-spans.ts.

import { bootKernel, type Kernel } from "@aos/kernel";
import type { Program, Tool } from "@aos/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { RunSpans } from "./run-spans.ts";
import type { SpanDraft } from "./span-draft.ts";

const pay: Tool = {
  name: "pay",
  effect: "external",
  version: "1",
  description: "Pays.",
  input: {},
  label: { integrity: "trusted", secrecy: "public" },
  touches: () => [],
  run: async () => "paid",
};

const programs: Record<string, Program> = {
  child: async (sys) => sys.exec("pay", { to: "bob" }),
  parent: async (sys) => {
    const pid = await sys.spawn("child", null, { capabilities: ["tool:pay:call"] });
    return (await sys.wait(pid)).output;
  },
  fails: async (sys) => sys.exec("pay", {}),
};

/** What a kernel does, as spans. */
async function traced(options: { content?: boolean } = {}) {
  const kernel = await bootKernel({ programs, tools: [pay] });
  onTestFinished(() => kernel.close());
  const spans: SpanDraft[] = [];
  const follow = (maker: RunSpans, signal: AbortSignal) =>
    (async () => {
      for await (const event of kernel.follow({ signal })) {
        const span = await maker.note(event);
        if (span !== undefined) spans.push(span);
      }
    })();
  const over = new AbortController();
  onTestFinished(() => over.abort());
  void follow(new RunSpans(kernel, { content: options.content ?? false }), over.signal);
  const find = async (name: string) =>
    vi.waitFor(() => {
      const span = spans.find((one) => one.name === name);
      if (span === undefined) throw new Error(`no ${name} yet`);
      return span;
    }, 120_000);
  return { kernel, spans, find };
}

const run = async (kernel: Kernel, agent: string, capabilities: string[] = []) => {
  const pid = await kernel.spawn({ agent, capabilities });
  await kernel.wait(pid);
  return pid;
};

test("a child's run is below its parent's, and its calls are below it, in one trace", async () => {
  const { kernel, find } = await traced();
  const pid = await run(kernel, "parent", ["agent:child:spawn", "tool:pay:call"]);

  const parent = await find("invoke_agent parent");
  const child = await find("invoke_agent child");
  const paid = await find("execute_tool pay");

  expect(parent.parent).toBeUndefined();
  expect(child.parent).toBe(parent.id);
  expect(paid.parent).toBe(child.id);
  expect([child.trace, paid.trace]).toEqual([parent.trace, parent.trace]);
  expect(child.attributes["gen_ai.conversation.id"]).toBe(pid);
  for (const { startMs, endMs } of [child, paid])
    expect([startMs >= parent.startMs, endMs <= parent.endMs, startMs <= endMs]).toEqual([
      true,
      true,
      true,
    ]);
});

test("what failed says its code", async () => {
  const { kernel, find } = await traced();
  await run(kernel, "fails");

  expect(await find("execute_tool pay")).toMatchObject({ failure: "EACCES" });
  expect(await find("invoke_agent fails")).toMatchObject({ failure: "EACCES" });
});

test("RUN-SPANS-2: arguments and results are told where the operator wants it, and only there", async () => {
  const quiet = await traced();
  const open = await traced({ content: true });
  for (const { kernel } of [quiet, open]) await run(kernel, "child", ["tool:pay:call"]);

  const { attributes } = await open.find("execute_tool pay");
  await quiet.find("execute_tool pay");

  expect(attributes["gen_ai.tool.call.arguments"]).toBe('{"to":"bob"}');
  expect(attributes["gen_ai.tool.call.result"]).toBe('"paid"');
  expect(JSON.stringify(quiet.spans)).not.toMatch(/bob|paid/);
});

test("RUN-SPANS-3: who begins in the middle, as after a restart, makes the same spans", async () => {
  const { kernel, spans, find } = await traced();
  const pid = await run(kernel, "child", ["tool:pay:call"]);
  const whole = await find("execute_tool pay");
  await find("invoke_agent child");
  const late = new RunSpans(kernel, { content: false });
  const records = await kernel.journal(pid);
  const after: (SpanDraft | undefined)[] = [];
  for (const record of records.filter(({ kind }) => kind === "outcome" || kind === "end"))
    after.push(
      await late.note({ pid: pid as never, tree: pid as never, tenant: "default", record }),
    );

  expect(after).toEqual([whole, spans.find(({ name }) => name === "invoke_agent child")]);
});

test("RUN-SPANS-1: secrets are taken out of names and of what is said", async () => {
  const { kernel } = await traced();
  const pid = await run(kernel, "child", ["tool:pay:call"]);
  const asked = {
    show: kernel.show.bind(kernel),
    journal: kernel.journal.bind(kernel),
    inferences: kernel.inferences.bind(kernel),
    exportContext: kernel.exportContext.bind(kernel),
    scrub: (text: string) => text.replaceAll(/pay|bob/g, "[secret]"),
  };
  const maker = new RunSpans(asked, { content: true });
  const told = { pid: pid as never, tree: pid as never, tenant: "default" };
  const drafts = [];
  for (const record of await kernel.journal(pid))
    drafts.push(await maker.note({ ...told, record }));

  const call = drafts.find((draft) => draft !== undefined);
  expect(call?.name).toBe("execute_tool [secret]");
  expect(call?.attributes["gen_ai.tool.name"]).toBe("[secret]");
  expect(JSON.stringify(drafts)).not.toContain("bob");
});
