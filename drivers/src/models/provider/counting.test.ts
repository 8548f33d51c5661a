import { createRequire } from "node:module";
import type { Message, SyscallArgs } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { type CountingOptions, countRequest, TokenCounts } from "./counting.ts";
import { sizeOf } from "./tokens.ts";
import { vendors } from "./vendors.ts";

const require = createRequire(import.meta.url);
interface Tokenizer {
  readonly countTokens: (text: string, options: { disallowedSpecial: Set<string> }) => number;
}
const tokenizer = (name: string): ((text: string) => number) => {
  const { countTokens } = require(`gpt-tokenizer/encoding/${name}`) as Tokenizer;
  return (text) => countTokens(text, { disallowedSpecial: new Set() });
};

/** Bytes that nobody has seen before, and the same every time. */
const noise = (size: number): Buffer => {
  let state = 1;
  return Buffer.from(
    Array.from({ length: size }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 24;
    }),
  );
};

const texts: Record<string, string> = {
  prose:
    "The committee, having met twice in October, could not agree on what it had agreed. ".repeat(
      20,
    ),
  german:
    "Die Donaudampfschifffahrtsgesellschaft weigert sich weiterhin, Verspätungen zu erklären. ".repeat(
      20,
    ),
  russian: "Съешь же ещё этих мягких французских булок, да выпей чаю. ".repeat(20),
  chinese: "我们昨天在图书馆讨论了关于人工智能操作系统的预算与调度问题。".repeat(20),
  japanese: "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。".repeat(20),
  korean: "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. ".repeat(20),
  arabic: "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. ".repeat(20),
  emoji: "👩‍👩‍👧‍👦🏳️‍🌈🧑🏽‍🚀🎉🔥💯🤷🏻‍♂️ ".repeat(40),
  base64: noise(3000).toString("base64"),
  hex: noise(2000).toString("hex"),
  numbers: Array.from({ length: 500 }, (_, at) => (at * 7919 + 0.123_456).toFixed(6)).join(", "),
  code: "for (let i = 0; i < rows.length; i++) {\n    const { id, value } = rows[i] ?? {};\n    if (value >>> 0 !== id) throw new RangeError(`row ${i}`);\n}\n".repeat(
    20,
  ),
  json: JSON.stringify(
    Array.from({ length: 60 }, (_, at) => ({ id: `usr_${at}`, ok: at % 2 === 0, at: 1.5 * at })),
  ),
  lines: "\n\n    \t\t------------------------------\n".repeat(60),
};

const counting = (most: number): CountingOptions => ({
  usual: 1,
  most,
  foreign: 0,
  image: 1000,
  page: 100,
  toolWords: 50,
  formWords: 20,
});
const request = (messages: Message[], more: Partial<SyscallArgs<"infer">> = {}) => ({
  model: "p/m",
  messages,
  ...more,
});
const of = (content: string, more: Partial<Message> = {}): Message => ({
  role: "user",
  content,
  ...more,
});
const boundOf = (text: string, of_: CountingOptions): number =>
  countRequest(request([of(text)]), of_).bound - countRequest(request([of("")]), of_).bound;

describe("the bound", () => {
  test.each(Object.entries(texts))("holds for OpenAI's own tokenizer: %s", (_, text) => {
    const exact = tokenizer("o200k_base")(text);

    const bound = boundOf(text, vendors.openai.counting("gpt-5"));

    expect(bound).toBeGreaterThanOrEqual(exact);
    expect(bound).toBeLessThanOrEqual(exact * 1.3 + sizeOf(text).digits + 10);
  });

  // The tokenizers of the other vendors are not to be had. These are real ones that are quite different.
  test.each(["cl100k_base", "p50k_base", "r50k_base"])(
    "holds for %s, for vendors with another",
    (name) => {
      const count = tokenizer(name);
      for (const [what, text] of Object.entries(texts))
        for (const type of ["anthropic", "openai-compatible", "ollama"] as const)
          expect(
            boundOf(text, vendors[type].counting("any")),
            `${type}, ${what}`,
          ).toBeGreaterThanOrEqual(count(text));
      for (const [what, text] of Object.entries(texts))
        expect(
          boundOf(text, vendors["openai-chat"].counting("gpt-4")),
          what,
        ).toBeGreaterThanOrEqual(tokenizer("cl100k_base")(text));
    },
  );

  test("holds for cl100k_base, for Google", () => {
    const count = tokenizer("cl100k_base");
    for (const [what, text] of Object.entries(texts)) {
      const bound = boundOf(text, vendors.google.counting("any"));
      expect(bound, what).toBeGreaterThanOrEqual(count(text));
    }
  });

  test("is never more than there are bytes", () => {
    for (const text of Object.values(texts))
      expect(boundOf(text, counting(100))).toBeLessThanOrEqual(Buffer.byteLength(text));
  });

  test("counts every digit where a vendor may", () => {
    expect(boundOf("1234567890".repeat(10), counting(1))).toBe(100);
  });

  test("COUNTING-1: the bound grows with every part of the request", () => {
    const plain = countRequest(request([of("hello")]), counting(1)).bound;
    const input = { type: "object" };
    const grown = [
      request([of("hello"), of("")]),
      request([of("hello", { toolCalls: [{ id: "c", tool: "t", args: { a: 1 } }] })]),
      request([of("hello", { reasoning: [{ text: "hm" }] })]),
      request([of("hello", { reasoning: [{ text: "", meta: { by: "x" } }] })]),
      request([of("hello", { attachments: [{ mediaType: "image/png", data: "AAAA" }] })]),
      request([of("hello", { attachments: [{ mediaType: "application/pdf", data: "AAAA" }] })]),
      request([of("hello", { attachments: [{ mediaType: "text/plain", data: "AAAA" }] })]),
      request([of("hello", { attachments: [{ mediaType: "audio/wav", data: "AAAA" }] })]),
      request([of("hello")], { tools: [{ name: "t", description: "", input }] }),
      request([of("hello")], { output: { schema: input } }),
    ];

    for (const each of grown) expect(countRequest(each, counting(1)).bound).toBeGreaterThan(plain);
  });

  test("pages are counted where they can be seen", () => {
    const pdf = Buffer.from("%PDF-1.7 /Type /Pages /Type /Page /Type/Page ").toString("base64");
    const asked = request([of("", { attachments: [{ mediaType: "application/pdf", data: pdf }] })]);

    const more =
      countRequest(asked, counting(1)).bound - countRequest(request([of("")]), counting(1)).bound;

    expect(more).toBe(2 * 100);
  });
});

describe("counts", () => {
  /** A request that knows how often its words were read. */
  const readable = () => {
    const read = { times: 0 };
    const message = of("hello");
    Object.defineProperty(message, "content", { get: () => ((read.times += 1), "hello") });
    return { read, asked: request([message]) };
  };

  test("COUNTING-2: a request is counted once, under whichever name it is asked about", () => {
    const { read, asked } = readable();
    const counts = new TokenCounts();
    const by = counting(1);

    const first = counts.of(asked, by);
    const again = counts.of({ ...asked, model: "p/other" }, by);

    expect(again).toBe(first);
    expect(first).toEqual(countRequest(request([of("hello")]), by));
    expect(read.times).toBe(1);
  });

  test("COUNTING-2: a message of a request before is not counted again; for another vendor it is", () => {
    const { read, asked } = readable();
    const by = counting(1);
    const counts = new TokenCounts();
    counts.of(asked, by);

    const longer = counts.of({ ...asked, messages: [...asked.messages, of("more")] }, by);

    expect(read.times).toBe(1);
    expect(longer).toEqual(countRequest(request([of("hello"), of("more")]), by));
    const other = { ...by, usual: 3, most: 3 };
    expect(counts.of(asked, other)).toEqual(countRequest(request([of("hello")]), other));
    expect(read.times).toBe(2);
  });

  test("COUNTING-2: with anything else about it, it is another request", () => {
    const { asked } = readable();
    const counts = new TokenCounts();
    const by = counting(1);
    const input = { type: "object" };
    const plain = counts.of(asked, by).bound;
    const others: [typeof asked, CountingOptions][] = [
      [{ ...asked, tools: [{ name: "t", description: "", input }] }, by],
      [{ ...asked, output: { schema: input } }, by],
      [{ ...asked, messages: [...asked.messages, of("more")] }, by],
      [asked, { ...by, usual: 3, most: 3 }],
    ];

    for (const [other, way] of others) {
      expect(counts.of(other, way).bound).toBeGreaterThan(plain);
      expect(counts.of(asked, by).bound).toBe(plain);
    }
  });
});

describe("tokens", () => {
  test.each(["prose", "code", "german"])(
    "PROVIDER-TOKENS-2: cutting %s loses and adds next to nothing",
    (name) => {
      const exact = tokenizer("o200k_base")(texts[name]!);

      expect(Math.abs(sizeOf(texts[name]!).tokens - exact)).toBeLessThanOrEqual(exact * 0.01);
    },
  );

  test("PROVIDER-TOKENS-2: a run without a break takes no longer than its length", () => {
    // The tokenizer itself takes minutes for this.
    expect(sizeOf("饭".repeat(300_000)).tokens).toBeGreaterThan(100_000);
  });

  test("what looks like a token of control is text", () => {
    expect(sizeOf("<|endoftext|>").tokens).toBeGreaterThan(3);
  });

  test("a character that takes two places is not cut in two", () => {
    const whole = sizeOf(`x${"👍".repeat(1000)}`);

    expect(whole.bytes).toBe(4001);
    expect(whole.tokens).toBe(1001);
  });

  test("PROVIDER-TOKENS-3: what was counted is known", () => {
    const long = `${"x y ".repeat(1000)}unheard of`;

    expect(sizeOf(long)).toBe(sizeOf(`${"x y ".repeat(1000)}unheard of`));
  });

  test("PROVIDER-TOKENS-3: what is asked about again and again stays known, and what is not is forgotten", () => {
    const kept = sizeOf("asked about again and again");
    const lost = sizeOf("asked about once");

    for (let at = 0; at < 12; at += 1) {
      sizeOf(`${at} ${"x".repeat(1_500_000)}`);
      expect(sizeOf("asked about again and again")).toBe(kept);
    }

    expect(sizeOf("asked about once")).not.toBe(lost);
  });
});
