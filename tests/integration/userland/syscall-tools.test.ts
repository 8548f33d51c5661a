// Tools that are system calls: an agent on a real kernel, whose journal has the calls themselves.

import type { Json, JournalRecord, Sys } from "@aos/protocol";
import { programs } from "@aos/userland";
import { expect, test } from "vitest";
import { bootForTest, codeOf, manifest, TOOLS } from "../../helpers/kernel.ts";
import { thinking, type Turn } from "../skills/skill-provider.ts";

const agent = programs["agent"]!.run;
const double = async (_sys: Sys, input: Json): Promise<Json> => (input as number) * 2;

async function run(given: { tools: string[]; capabilities: string[] }, ...turns: readonly Turn[]) {
  const { model, seen } = thinking(...turns);
  const listen = async (sys: Sys): Promise<Json> => (await sys.receive()).body;
  const booted = await bootForTest({ programs: { agent, double, listen }, models: [model] });
  const helper = manifest("helper", {
    program: "agent",
    model: "thinking/it",
    tools: given.tools,
    capabilities: ["model:*:infer", ...given.capabilities],
  });
  const pid = await booted.kernel.spawn({ manifest: helper, input: "Go." });
  const { output } = await booted.kernel.wait(pid);
  return { output, seen, calls: callsIn(await booted.kernel.journal(pid)) };
}

/** The calls that the model asked for. */
const callsIn = (records: readonly JournalRecord[]): string[] =>
  records.flatMap((record) => {
    if (record.kind !== "call" || record.call === "infer") return [];
    const { path = "" } = record.args as { path?: string };
    const isOpening = path.startsWith("/self/") && !path.startsWith("/self/results/");
    return isOpening ? [] : [`${record.call} ${record.err?.code ?? "ok"}`];
  });

test("it starts another agent, waits for it and is told its result", async () => {
  const { output, calls, seen } = await run(
    { tools: ["agent.*"], capabilities: ["agent:double:spawn"] },
    () => ({ tool: "agent.spawn", args: { agent: "double", input: 21 } }),
    (pid) => ({ tool: "agent.wait", args: { pid } }),
    (ending) => ending,
  );

  expect(JSON.parse(output as string)).toMatchObject({ state: "completed", output: 42 });
  expect(calls).toEqual(["spawn ok", "wait ok"]);
  expect(seen[0]!.tools).toEqual(["agent.spawn", "agent.wait", "result.read"]);
});

test("it writes to memory, finds it again and removes it", async () => {
  const path = "/mem/working/notes";
  const { output, calls } = await run(
    { tools: ["memory.*"], capabilities: ["memory:/mem/working/**:read,write,search,remove,list"] },
    () => ({ tool: "memory.write", args: { path, value: "the blue door" } }),
    () => ({ tool: "memory.search", args: { path: "/mem/working", query: "door" } }),
    (found) =>
      found.includes("the blue door")
        ? { tool: "memory.list", args: { path: "/mem/working" } }
        : "?",
    (listed) => (listed === `["${path}"]` ? { tool: "memory.remove", args: { path } } : "?"),
    () => ({ tool: "memory.read", args: { path } }),
    (gone) => gone,
  );

  expect(output).toContain("ENOENT: there is no file");
  expect(calls).toEqual(["write ok", "search ok", "list ok", "remove ok", "read ENOENT"]);
});

test("a program remembers a fact, recalls it with its contradiction, replaces and forgets it", async () => {
  const grants = [
    "memory:/mem/semantic/**:search",
    "memory:/mem/semantic/facts/**:write,remove",
    "memory:/mem/episodic/**:search",
  ];
  const subject = "gateway port";
  const recall = { tool: "memory.recall", args: { question: "which port has the gateway" } };
  const factsIn = (text: string) =>
    JSON.parse(text) as { path: string; text: string; contradicts?: string[]; label: string }[];
  const recalled: string[][] = [];
  let first = "";
  const { output, calls } = await run(
    { tools: ["memory.*"], capabilities: grants },
    () => ({ tool: "memory.remember", args: { text: "The gateway has port 80", subject } }),
    () => ({ tool: "memory.remember", args: { text: "The gateway has port 9443", subject } }),
    () => recall,
    (both) => {
      const facts = factsIn(both);
      recalled.push(facts.map(({ text }) => text).toSorted());
      expect(facts.map(({ contradicts }) => contradicts?.length)).toEqual([1, 1]);
      expect(facts[0]!.label).toBe("trusted/public");
      first = facts.find(({ text }) => text.endsWith("80"))!.path;
      const text = "The gateway has port 9443";
      return { tool: "memory.remember", args: { text, subject, replaces: first } };
    },
    () => recall,
    (one) => {
      recalled.push(factsIn(one).map(({ text }) => text));
      return { tool: "memory.forget", args: { path: factsIn(one)[0]!.path } };
    },
    () => ({ tool: "memory.forget", args: { path: "/mem/episodic/tasks/agt_1" } }),
    (told) => told,
  );

  expect(recalled).toEqual([
    ["The gateway has port 80", "The gateway has port 9443"],
    ["The gateway has port 9443"],
  ]);
  expect(output).toMatch(/^EINVAL: memory\.forget: .*the path of a fact/s);
  const writes = ["write ok", "write ok", "search ok", "write ok", "search ok", "remove ok"];
  expect(calls).toEqual(writes);
});

test("without the grant nothing is remembered or recalled", async () => {
  const { calls } = await run(
    { tools: ["memory.*"], capabilities: ["memory:/mem/working/**:*"] },
    () => ({ tool: "memory.remember", args: { text: "The port is 80" } }),
    () => ({ tool: "memory.recall", args: { question: "port" } }),
    () => ({ tool: "memory.forget", args: { path: "/mem/semantic/facts/general/a" } }),
    (told) => told,
  );

  expect(calls).toEqual(["write EACCES", "search EACCES", "remove EACCES"]);
});

test("it asks what was ingested, within its budget; another collection takes another grant", async () => {
  const told: string[] = [];
  const source = { file: "gateway.md", root: "/x", digest: "1" };
  const text = `# Gateway\n\n## Port\n\nIt listens on port 8080.\n\n## Tea\n\n${"tea ".repeat(600)}`;
  const write = (path: string) => ({
    tool: "memory.write",
    args: { path, value: { source, text } },
  });
  const { calls } = await run(
    {
      tools: ["memory.write", "context.ask"],
      capabilities: ["memory:/mem/shared/**:write", "memory:/mem/shared/docs/**:search"],
    },
    () => write("/mem/shared/docs/gateway.md"),
    () => write("/mem/shared/other/gateway.md"),
    () => ({
      tool: "context.ask",
      args: { question: "which port has the gateway", collection: "docs", tokens: 100 },
    }),
    (answer) => {
      told.push(answer);
      return { tool: "context.ask", args: { question: "which port", collection: "other" } };
    },
    (answer) => {
      told.push(answer);
      return { tool: "context.ask", args: { question: "which port", collection: "../x" } };
    },
    (answer) => {
      told.push(answer);
      return "done";
    },
  );

  const answer = JSON.parse(told[0]!) as {
    passages: { file: string; heading: string; line: number; text: string; label: string }[];
    tokens: number;
  };
  expect(answer.passages[0]).toMatchObject({
    file: "/mem/shared/docs/gateway.md", // what its writer says of a source is only claimed
    claimed: { file: "gateway.md" },
    heading: "Gateway › Port",
    line: 3,
    label: "trusted/public",
  });
  expect(answer.tokens).toBeLessThanOrEqual(100);
  expect(told[1]).toContain("EACCES");
  expect(told[2]).toContain("EINVAL");
  expect(calls).toEqual(["write ok", "write ok", "search ok", "search EACCES"]);
});

test("it sends a message, which arrives; the gate judges such a call as any other", async () => {
  let listener = "";
  const { output, calls, seen } = await run(
    { tools: ["agent.*", "message.*"], capabilities: ["agent:listen:spawn"] },
    () => ({ tool: "agent.spawn", args: { agent: "listen", input: null } }),
    (pid) => {
      listener = pid;
      return { tool: "message.send", args: { to: pid, body: { text: "hello" } } };
    },
    () => ({ tool: "agent.wait", args: { pid: listener } }),
    () => ({ tool: "message.publish", args: { topic: "news", body: 1 } }),
    (refused) => refused,
  );

  expect(JSON.parse(seen[3]!.messages.at(-1)!.content)).toMatchObject({
    output: { text: "hello" },
  });
  expect(output).toContain("EACCES: ");
  expect(calls).toEqual(["spawn ok", "send ok", "wait ok", "publish EACCES"]);
});

test("a result that is too long is cut, and read on from where it was", async () => {
  const words = Array.from({ length: 20_000 }, (_, n) => n).join(" ");
  const whole = JSON.stringify({ words });
  const pieces: string[] = [];
  const on = (last: string) => {
    const { text, next } = JSON.parse(last) as { text: string; next: number | null };
    pieces.push(text);
    return next === null ? "all" : { tool: "result.read", args: { path, offset: next } };
  };
  let path = "";

  const { output, calls } = await run(
    { tools: ["look"], capabilities: TOOLS },
    () => ({ tool: "look", args: { give: { words } } }),
    (cut) => {
      path = /\/self\/results\/\w+/.exec(cut)![0];
      return { tool: "result.read", args: { path } };
    },
    ...Array.from({ length: 12 }, () => on),
  );

  expect(output).toBe("all");
  expect(pieces.join("")).toBe(whole);
  expect(calls.slice(0, 3)).toEqual(["exec ok", "read ok", "read ok"]);
});

test("arguments that do not fit are told, and no call is made", async () => {
  const { output, calls } = await run(
    { tools: ["agent.*"], capabilities: [] },
    () => ({ tool: "agent.wait", args: { pid: "seven" } }),
    (told) => told,
  );

  expect(output).toMatch(/^EINVAL: agent\.wait: /);
  expect(calls).toEqual([]);
});

test("what a manifest does not name is no tool of the agent; the refusal names the system call", async () => {
  const { output, seen } = await run(
    { tools: ["memory.read"], capabilities: ["agent:double:spawn"] },
    () => ({ tool: "agent.spawn", args: { agent: "double", input: 1 } }),
    (told) => told,
  );

  expect(output).toBe(
    "ENOENT: unknown tool agent.spawn\n" +
      "hint: agent.spawn is the tool name of the system call spawn: make that call instead",
  );
  expect(seen[0]!.tools).toEqual(["memory.read", "result.read"]);
});

test("a system call is no tool of another program", async () => {
  const { kernel } = await bootForTest({
    programs: { tries: async (sys) => codeOf(sys.exec("memory.write", {})) },
  });
  const pid = await kernel.spawn({
    manifest: manifest("tries", { capabilities: ["tool:*:call"] }),
  });

  expect((await kernel.wait(pid)).output).toBe("ENOENT");
});
