import { type InferReply, type Json, type Message, spellSys, SysError } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { Conversation } from "./conversation.ts";

const SYSTEM: Message = { role: "system", content: "Be brief." };
const TASK: Message = { role: "user", content: "Do it." };
const WINDOW = 1000;

const reply = (tokens: number, more: Partial<InferReply> = {}): InferReply => ({
  text: "ok",
  toolCalls: [],
  finish: "stop",
  usage: { inputTokens: tokens - 1, outputTokens: 1 },
  context: { tokens, window: WINDOW },
  ...more,
});

/** One call of a tool, and its result; about `tokens` by their length. */
const step = (n: number, tokens = 50): Message[] => [
  { role: "assistant", content: `a${n}`, toolCalls: [{ id: "c", tool: "look", args: {} }] },
  { role: "tool", content: `r${n} ${"x".repeat(tokens * 3)}`, toolCallId: "c" },
];

/** Knows how often it was made shorter; summarises as it is told to. */
function fakeSys(summarise: () => string | Partial<InferReply> | SysError = () => "the summary") {
  const asked: { model: string; messages: Message[] }[] = [];
  const archives: string[] = [];
  let tell: () => unknown = () => {};
  const sys = spellSys(
    async (name, args) => {
      const given = args as { path: string; model: string; messages: Message[]; signal: string };
      if (name === "list") {
        archives.push(`${given.path}/${archives.length + 1}`);
        return archives.slice(0, -1);
      }
      if (name === "handle") return null;
      asked.push(given);
      const said = summarise();
      if (said instanceof SysError) throw said;
      return reply(10, typeof said === "string" ? { text: said } : said) as unknown as Json;
    },
    (_signal, handler) => {
      tell = () => handler!("SIGCTX");
    },
  );
  return { sys, asked, tell: () => tell() };
}

const talkOf = (steps: number, context: object = {}, more: object = {}): Conversation => {
  const talk = new Conversation({
    manifest: { model: "m/own", context, ...more },
    opening: [SYSTEM, TASK],
  });
  for (let n = 1; n <= steps; n++) talk.push(...step(n));
  return talk;
};

const said = (talk: Conversation): string[] =>
  talk.messages.map(({ content }) => content.split(" ")[0]!);

describe("it is made shorter", () => {
  test("at compactAt of the window, by a summary that says what it replaces", async () => {
    const { sys, asked } = fakeSys();
    const talk = talkOf(10);
    talk.push({ role: "assistant", content: "ok" });

    await talk.afterReply(sys, reply(699));
    expect(talk.messages).toHaveLength(23);

    await talk.afterReply(sys, reply(700));
    expect(talk.messages.slice(0, 2)).toEqual([SYSTEM, TASK]);
    expect(talk.messages[2]!.content).toMatch(
      /^\[Summary of messages 3–16\. The originals are in \/ctx\/archive\/1: .*\]\n\nthe summary$/,
    );
    expect(said(talk).slice(3)).toEqual(["a8", "r8", "a9", "r9", "a10", "r10", "ok"]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ model: "m/own" });
    expect(asked[0]).not.toHaveProperty("tools");
    expect(asked[0]!.messages[1]!.content).toContain(
      "assistant: a1\ncalls look {}\n\nresult: r1 x",
    );
    expect(asked[0]!.messages[1]!.content).not.toContain("a8");
  });

  test("as the manifest says: threshold, window, what is kept, who summarises", async () => {
    const { sys, asked } = fakeSys();
    const context = { compactAt: 0.5, window: 800, keep: 3, summarizer: "m/cheap" };
    const talk = talkOf(10, context);

    await talk.afterReply(sys, reply(401));

    expect(said(talk).slice(3)).toEqual(["a9", "r9", "a10", "r10"]); // three would tear a pair
    expect(asked[0]).toMatchObject({ model: "m/cheap" });
  });

  test("what came since the reply counts as well", async () => {
    const { sys } = fakeSys();
    const talk = talkOf(10);
    talk.push(...step(11, 600));

    await talk.afterReply(sys, reply(400));

    expect(talk.messages[2]!.content).toContain("Summary of messages 3–");
    expect(said(talk).slice(-2)).toEqual(["a11", "r11"]);
  });

  test("never by itself where no window is known", async () => {
    const { sys, asked } = fakeSys();
    const talk = talkOf(10);
    const { context: _context, ...unknown } = reply(1_000_000);

    await talk.afterReply(sys, unknown);

    expect(asked).toEqual([]);
    expect(talk.messages).toHaveLength(22);
  });

  test("when SIGCTX came, once, and not for less than it keeps anyway", async () => {
    const { sys, asked, tell } = fakeSys();
    const talk = talkOf(10);
    await talk.afterReply(sys, reply(300));
    expect(asked).toHaveLength(0);

    await tell();
    await talk.afterReply(sys, reply(300));
    expect(asked).toHaveLength(1);

    talk.push(...step(11));
    await tell();
    await talk.afterReply(sys, reply(200));
    expect(asked).toHaveLength(1);

    for (let n = 12; n <= 16; n++) talk.push(...step(n));
    await talk.afterReply(sys, reply(300)); // what was heard before counts no more
    expect(asked).toHaveLength(1);
  });

  test("again: the earlier summary goes into the next, and messages are counted as they were said", async () => {
    const { sys, asked } = fakeSys();
    const talk = talkOf(10);
    await talk.afterReply(sys, reply(701));
    for (let n = 11; n <= 16; n++) talk.push(...step(n));

    await talk.afterReply(sys, reply(701));

    expect(talk.messages[2]!.content).toMatch(/^\[Summary of messages 3–28\. .*\/ctx\/archive\/2:/);
    expect(asked[1]!.messages[1]!.content).toContain("[Summary of messages 3–16.");
  });
});

describe("CONTEXT-CONVERSATION-1: only what the journal has is taken out", () => {
  test("the reply and its results stay, whatever `keep` says", async () => {
    const { sys } = fakeSys();
    const talk = talkOf(10, { keep: 1 });
    talk.push({ role: "user", content: "hint" });

    await talk.afterReply(sys, reply(701));

    expect(said(talk).slice(3)).toEqual(["a10", "r10", "hint"]);
  });

  test("the reply and its results stay where all of the rest is too much", async () => {
    const { sys } = fakeSys(() => new SysError("EUPSTREAM", "no"));
    const talk = talkOf(9);
    talk.push(...step(10, 2000), { role: "user", content: "hint" });

    await talk.afterReply(sys, reply(600));

    expect(said(talk).slice(3)).toEqual(["a10", "r10", "hint"]);
  });
});

test("CONTEXT-CONVERSATION-2: calls that were made side by side stay with all of their results, however much goes", async () => {
  for (let tokens = 500; tokens <= 2000; tokens += 25) {
    const { sys } = fakeSys(() => new SysError("EUPSTREAM", "no"));
    const talk = talkOf(0, { keep: 1 + (tokens % 7) });
    for (let n = 1; n <= 8; n++) {
      const [asks, result] = step(n) as [Message, Message];
      talk.push(asks, result, { ...result, toolCallId: "d" }, { ...result, toolCallId: "e" });
    }

    await talk.afterReply(sys, reply(tokens));

    const roles = talk.messages.map(({ role }) => role[0]).join("");
    expect(roles).toMatch(/^suu?(attt)+$/);
  }
});

describe("CONTEXT-CONVERSATION-3: what opens it stays", () => {
  test("a task that is a large part of the window is summarised like the rest", async () => {
    const { sys } = fakeSys();
    const long = { ...TASK, content: "y".repeat(800) };
    const talk = new Conversation({ manifest: { model: "m/own" }, opening: [SYSTEM, long] });
    for (let n = 1; n <= 10; n++) talk.push(...step(n));

    await talk.afterReply(sys, reply(900));

    expect(talk.messages[1]!.content).toContain("Summary of messages 2–16");

    for (let n = 11; n <= 16; n++) talk.push(...step(n));
    await talk.afterReply(sys, reply(900));

    expect(talk.messages[1]!.content).toContain("Summary of messages 2–28");
    expect(talk.messages[2]!.content).toBe("a14");
  });

  test("a persistent agent keeps the system's messages", async () => {
    const { sys } = fakeSys();
    const talk = talkOf(10, {}, { persistent: true });

    await talk.afterReply(sys, reply(701));

    expect(talk.messages[1]!.content).toContain("Summary of messages 2–16");
  });
});

describe("CONTEXT-CONVERSATION-4: without a summary messages are left out", () => {
  const failures = ["ECONTEXT", "EUPSTREAM", "EBUDGET", "ERATE", "EACCES", "ETIMEDOUT"] as const;

  test.each(failures)("%s", async (code) => {
    const { sys } = fakeSys(() => new SysError(code, "no"));
    const talk = talkOf(10);

    await talk.afterReply(sys, reply(701));

    expect(talk.messages[2]!.content).toMatch(
      /^\[Messages 3–1\d are left out here\. The originals are in \/ctx\/archive\/1: .*\]$/,
    );
    expect(talk.messages[3]!.role).toBe("assistant");
  });

  test("a summary that says nothing is none", async () => {
    const { sys } = fakeSys(() => " \n");
    const talk = talkOf(10);

    await talk.afterReply(sys, reply(701));

    expect(talk.messages[2]!.content).toMatch(/^\[Messages /);
  });

  test("a summary that was cut off says so", async () => {
    const { sys } = fakeSys(() => ({ text: "half a", finish: "length" }));
    const talk = talkOf(10);

    await talk.afterReply(sys, reply(701));

    expect(talk.messages[2]!.content).toMatch(/\n\nhalf a\n\[the summary was cut off here\]$/);
  });

  test("what is still too much goes too: the summary says of what it does not speak", async () => {
    const { sys } = fakeSys();
    const talk = talkOf(3);
    for (let n = 4; n <= 6; n++) talk.push(...step(n, 240));

    await talk.afterReply(sys, reply(950));

    expect(talk.messages[2]!.content).toMatch(
      /^\[Summary of messages 3–12 \(of 9–12 it says nothing: there was no room\)\. /,
    );
    expect(said(talk).slice(3)).toEqual(["a6", "r6"]);
  });

  test("a summary that is itself too long is thrown away", async () => {
    const { sys } = fakeSys(() => "z".repeat(9000));
    const talk = talkOf(10);

    await talk.afterReply(sys, reply(701));

    expect(talk.messages[2]!.content).toMatch(/^\[Messages 3–\d+ are left out here\./);
    expect(talk.messages[2]!.content).not.toContain("zzz");
  });

  test.each(["EINTR", "EFENCED", "REPLAY_DIVERGED"] as const)(
    "what only the kernel can mend ends it: %s",
    async (code) => {
      const { sys } = fakeSys(() => new SysError(code, "no"));

      await expect(talkOf(10).afterReply(sys, reply(701))).rejects.toMatchObject({ code });
    },
  );
});

describe("after ECONTEXT", () => {
  const refused = (tokens: number) =>
    new SysError("ECONTEXT", "too much", { detail: { tokens, window: WINDOW } });

  test("a call whose results alone are too much goes, and can be read in the archive", async () => {
    const { sys } = fakeSys();
    const talk = talkOf(0);
    talk.push(...step(1, 5000));

    expect(await talk.afterOverflow(sys, refused(5100))).toBe(true);
    expect(said(talk).slice(0, 2)).toEqual(["Be", "Do"]);
    expect(talk.messages).toHaveLength(3);
    expect(talk.messages[2]!.content).toContain("Messages 3–4 are left out here");

    expect(await talk.afterOverflow(sys, refused(5100))).toBe(false);
  });

  test("a provider that refuses without saying why gets less each time", async () => {
    const { sys } = fakeSys(() => new SysError("ECONTEXT", "too much"));
    const talk = talkOf(10);
    const lengths = [talk.messages.length];

    while (await talk.afterOverflow(sys, new SysError("ECONTEXT", "too much")))
      lengths.push(talk.messages.length);

    expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
    expect(lengths.length).toBeGreaterThan(3);
    expect(lengths.at(-1)).toBe(3);
  });

  test("a request that is too much stays: nothing can be done", async () => {
    const { sys } = fakeSys();
    const talk = talkOf(0, {}, { persistent: true });
    talk.push({ role: "assistant", content: "done" }, { role: "user", content: "q".repeat(9000) });

    expect(await talk.afterOverflow(sys, refused(5000))).toBe(true);
    expect(talk.messages.at(-1)!.content).toMatch(/^q/);
    expect(await talk.afterOverflow(sys, refused(5000))).toBe(false);
  });
});

describe("history of a persistent agent", () => {
  const life = (history: object, exchanges: number) => {
    const talk = new Conversation({
      manifest: { model: "m/own", persistent: true, history },
      opening: [SYSTEM],
    });
    for (let n = 1; n <= exchanges; n++)
      talk.push({ role: "user", content: `q${n}` }, ...step(n), {
        role: "assistant",
        content: `answer${n}`,
      });
    return talk;
  };

  test("its messages are limited, whole calls at a time; what goes is in the archive", async () => {
    const { sys, asked } = fakeSys();
    const talk = life({ messages: 8 }, 3);

    await talk.afterReply(sys, reply(100));

    expect(talk.messages[1]!.content).toMatch(/^\[Messages 2–\d+ are left out here\. .*archive\/1/);
    expect(talk.messages.length - 2).toBeLessThanOrEqual(8);
    expect(talk.messages[2]!.role).not.toBe("tool");
    expect(asked).toEqual([]);
  });

  test("so are its tokens", async () => {
    const { sys } = fakeSys();
    const talk = life({ tokens: 150 }, 4);

    await talk.afterReply(sys, reply(100));

    expect(said(talk).slice(2)).toEqual(["q4", "a4", "r4", "answer4"]);
  });

  test("within them nothing goes, and nothing in the middle of a step", async () => {
    const { sys } = fakeSys();
    const talk = life({ messages: 12 }, 3);
    await talk.afterReply(sys, reply(100));
    expect(talk.messages).toHaveLength(13);

    talk.push({ role: "user", content: "q4" }, ...step(4));
    await talk.afterReply(sys, reply(100, { toolCalls: [{ id: "c", tool: "look", args: {} }] }));
    expect(talk.messages).toHaveLength(16);
  });
});

test("its state makes it again, and it goes on counting", async () => {
  const { sys } = fakeSys();
  const talk = talkOf(10);
  await talk.afterReply(sys, reply(701));

  const again = Conversation.from({ model: "m/own" }, JSON.parse(JSON.stringify(talk.state())));
  for (let n = 11; n <= 16; n++) again.push(...step(n));
  await again.afterReply(sys, reply(701));

  expect(again.messages.slice(0, 2)).toEqual([SYSTEM, TASK]);
  expect(again.messages[2]!.content).toContain("Summary of messages 3–28.");
});

test("what reads the archive is offered once there is one", async () => {
  const { sys } = fakeSys();
  const talk = talkOf(10);
  expect(talk.tools).toEqual([]);

  await talk.afterReply(sys, reply(701));

  expect(talk.tools.map(({ name }) => name)).toEqual(["context.read", "context.search"]);
});
