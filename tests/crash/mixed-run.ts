// The run that is killed: a parent and its child that between them make every kind of call whose
// journal write can be hit. What they return holds nothing that differs from run to run.

import { setTimeout as delay } from "node:timers/promises";
import type { Json, Label, ModelDriver, Program, Tool } from "@aos/protocol";
import type { Witness } from "./witness.ts";

export type OnDoubt = "retry" | "ask";

export const CAPABILITIES = [
  "tool:*:call",
  "memory:/mem/**:read,write,list,remove,search",
  "agent:*:spawn{max:50}",
  "message:news:publish,subscribe",
  "model:fake/*:infer",
];

/** What an undisturbed run leaves with the witness. */
export const EFFECTS = ["child", "keyed", "left", "parent", "right", "tail"];

const TRUSTED: Label = { integrity: "trusted", secrecy: "public" };

export function toolsWith(witness: Witness, onDoubt: OnDoubt): Tool[] {
  const tool = (name: string, effect: Tool["effect"], run: Tool["run"]): Tool => ({
    name,
    version: "1",
    description: name,
    input: {},
    effect,
    label: TRUSTED,
    touches: () => [],
    run,
  });
  return [
    tool("look", "read", async (args) => {
      await pause(args);
      return { saw: args };
    }),
    tool("put", "idempotent", async (args) => ({ put: args })),
    // With `retry`, the far side knows the keys it has seen; with `ask`, it does whatever it is told.
    tool("charge", "external", async (args, { key }) => {
      const { what } = args as { what: string };
      await pause(args);
      if (onDoubt === "ask" || !witness.has(key)) witness.saw({ key, what });
      return { charged: what };
    }),
  ];
}

const pause = (args: Json) => delay((args as { ms?: number }).ms ?? 0);

export const fakeModel: ModelDriver = {
  provider: "fake",
  egress: false,
  worstCase: () => ({ usd: 0.01, tokens: 100 }),
  infer: async ({ messages }) => ({
    text: `${messages.length} messages, the last of ${messages.at(-1)!.content.length} characters`,
    toolCalls: [],
    finish: "stop",
    usage: { inputTokens: 3, outputTokens: 4 },
    usd: 0.001,
  }),
};

interface FirstHalf {
  readonly [name: string]: Json;
}

export const parent: Program = async (sys, input, state) => {
  const { onDoubt } = input as { onDoubt: OnDoubt };
  // A person who says that it was done does not say what it returned.
  const charge = async (what: string, options = {}) => {
    await sys.exec("charge", { what }, { onDoubt, ...options });
    return { charged: what };
  };

  let first = state as FirstHalf | undefined;
  if (first === undefined) {
    const began = await sys.now();
    const dice = await sys.random();
    await sys.write("/mem/working/note", { dice });
    const note = (await sys.read("/mem/working/note")) as { dice: number };
    const looked = await sys.exec("look", { at: "the door" });
    const put = await sys.exec("put", { on: "the table" });
    const charged = await charge("parent");
    const missing = await sys.read("/mem/working/nothing").catch((error) => error.code);
    first = {
      isLater: began > 1_700_000_000_000,
      isKept: note.dice === dice,
      looked,
      put,
      charged,
      missing,
    };
    await sys.checkpoint(first);
  }

  await sys.subscribe("news");
  const child = await sys.spawn("child", { onDoubt }, { capabilities: CAPABILITIES });
  await sys.send(child, "good morning", { type: "greeting" });
  const answer = await sys.request(child, { question: "how are you" });
  const news = await sys.receive({ topic: "news" });
  const order = await sys.receive({ type: "order" });
  await sys.sleep((await sys.now()) + 20);
  const reply = await sys.infer({
    model: "fake/1",
    messages: [{ role: "user", content: "x".repeat(3000) }],
  });
  const both = await Promise.all([charge("left"), sys.exec("look", 1), charge("right")]);
  const fd = await sys.open("/mem/shared/diary", "append");
  await sys.write(fd, "dear diary; ");
  await sys.close(fd);
  await charge("keyed", { key: `the-key-of-${(await sys.self()).pid}` });
  const ending = await sys.wait(child);
  const diary = await sys.read("/mem/shared/diary");
  await charge("tail");
  return {
    ...first,
    answer,
    news: news.body,
    order: order.body,
    reply: reply.text,
    both,
    child: [ending.state, ending.output],
    diary,
    files: await sys.list("/mem/working"),
  };
};

export const child: Program = async (sys, input) => {
  const { onDoubt } = input as { onDoubt: OnDoubt };
  const greeting = await sys.receive({ type: "greeting" });
  await sys.exec("charge", { what: "child" }, { onDoubt });
  const question = await sys.receive({ type: "request" });
  await sys.send(question.from, "well, thank you", {
    type: "response",
    replyTo: question.replyTo!,
  });
  const heard = await sys.publish("news", "the child has paid");
  return { greeting: greeting.body, question: question.body, heard };
};

/** Keeps what it was given, twice, and goes. */
export const note: Program = async (sys, input) => {
  await sys.write("/mem/working/one", input);
  await sys.write("/mem/working/two", input);
  return null;
};
