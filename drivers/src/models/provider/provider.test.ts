import { execFileSync } from "node:child_process";
import { SysError } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import { providerFailure } from "./failure.ts";
import { createProvider } from "./provider.ts";
import { isStrictSchema, anthropicOptions } from "./vendor-options.ts";
import { wireFor } from "./recorded-fetch.ts";

const user = (content: string) => ({ role: "user" as const, content });

describe("a provider", () => {
  test("is outside, unless it is on this machine", () => {
    const egress = (baseUrl?: string) =>
      createProvider({ name: "p", type: "openai-compatible", baseUrl: baseUrl! }).egress;

    expect(
      ["http://127.0.0.1:8080/v1", "http://localhost/v1", "http://[::1]:1/v1"].map(egress),
    ).toEqual([false, false, false]);
    expect(
      ["https://api.example.com/v1", "http://127.0.0.1.example.com", "http://10.0.0.1/v1"].map(
        egress,
      ),
    ).toEqual([true, true, true]);
    expect(createProvider({ name: "a", type: "anthropic" }).egress).toBe(true);
    expect(createProvider({ name: "o", type: "ollama" }).egress).toBe(false);
  });

  test("has no key in its headers", () => {
    for (const header of ["Authorization", "x-api-key", "X-Goog-Api-Key"])
      expect(() =>
        createProvider({ name: "p", type: "openai", headers: { [header]: "sk-1" } }),
      ).toThrow(/is reserved for the key/);
  });

  test("needs an address where its type has none", () => {
    expect(() => createProvider({ name: "p", type: "openai-compatible" })).toThrow(
      /needs a baseUrl/,
    );
  });

  test("does not answer for another's models", async () => {
    const driver = createProvider({ name: "p", type: "openai" });

    await expect(
      driver.infer({ model: "q/x", messages: [] }, deviceContextForTest()),
    ).rejects.toMatchObject({ code: "EINVAL" });
  });

  test("PROVIDER-3: what was stopped before it began is not sent", async () => {
    let sent = 0;
    const driver = createProvider({
      name: "p",
      type: "openai-compatible",
      baseUrl: "https://api.example.com/v1",
      fetch: async () => ((sent += 1), new Response("{}")),
    });
    const reason = new SysError("EINTR", "no request waits for the answer any more");

    const asked = driver.infer(
      { model: "p/m", messages: [user("hello")] },
      deviceContextForTest({ signal: AbortSignal.abort(reason) }),
    );

    await expect(asked).rejects.toMatchObject({ code: "EINTR" });
    expect(sent).toBe(0);
  });

  test("knows its models and what they cost", () => {
    const driver = createProvider({
      name: "mine",
      type: "anthropic",
      models: {
        "claude-x": { price: { input: 1, output: 2 }, window: 10 },
        "claude-y*": { window: 5 },
      },
    });

    const cards = driver.cards!();

    expect(cards.map(({ model }) => model)).toContain("mine/claude-opus-5-5");
    expect(cards.find(({ model }) => model === "mine/claude-x")).toMatchObject({
      window: 10,
      price: { input: 1 },
    });
    expect(cards.some(({ model }) => model.includes("*"))).toBe(false);
  });

  test("the worst case is what may be shown and said, at the dearest", () => {
    const driver = createProvider({
      name: "p",
      type: "openai",
      models: { m: { price: { input: 1, output: 10, cacheWrite: 2 }, maxOutputTokens: 500 } },
    });
    const request = { model: "p/m", messages: [user("hello there")] };

    const { usd, tokens } = driver.worstCase(request);
    const input = tokens - 500;

    expect(usd! * 1e6).toBeCloseTo(input * 2 + 500 * 10);
    expect(driver.worstCase({ ...request, maxTokens: 9999 }).tokens).toBe(tokens);
    expect(driver.worstCase({ ...request, maxTokens: 100 }).tokens).toBe(tokens - 400);
    expect(driver.worstCase({ model: "p/unknown", messages: [] }).usd).toBeNull();
  });

  test("what it may say without being told fits behind what it is shown", () => {
    const driver = createProvider({
      name: "p",
      type: "openai",
      models: { m: { window: 4000, maxOutputTokens: 3500 } },
    });
    const messages = [user("a b c d e f g h i j ".repeat(100))];
    const shown = driver.measure!({ model: "p/m", messages }).tokens;
    const { tokens } = driver.worstCase({ model: "p/m", messages });

    expect(tokens).toBeLessThan(shown * 1.2 + 4000 - shown);
  });

  test("VENDORS-1, PROVIDER-TOKENS-1: nothing of a vendor is loaded before it is asked", () => {
    const script = `
      import { registerHooks } from "node:module";
      const asked = [];
      registerHooks({ resolve: (name, context, next) => (asked.push(name), next(name, context)) });
      const { createProvider } = await import("./provider.ts");
      createProvider({ name: "p", type: "anthropic" }).cards();
      console.log(JSON.stringify(asked.filter((name) => /^(@?ai|gpt-tokenizer|ollama)/.test(name))));
      console.log(asked.includes("./vendors.ts"));`;
    const said = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: import.meta.dirname,
      encoding: "utf8",
    });

    expect(said).toBe("[]\ntrue\n");
  });
});

describe("the wire", () => {
  const spec = {
    origin: "https://api.example.com",
    header: "authorization",
    prefix: "Bearer ",
    keySecret: undefined,
    maxTokens: 10,
    isLines: false,
    signal: new AbortController().signal,
    fetch: async () => new Response("{}"),
  };

  test("PROVIDER-WIRE-1: goes to its origin only", async () => {
    const { fetch, seen } = wireFor(spec, deviceContextForTest());

    await expect(fetch("https://other.example.com/v1")).rejects.toThrow(
      "https://other.example.com",
    );
    expect(seen.failure).toBeInstanceOf(SysError);
  });

  test("PROVIDER-3: stops when it is told to, whatever the package passes on", async () => {
    let signal: AbortSignal | null | undefined;
    const given = wireFor(
      { ...spec, fetch: async (_, init) => ((signal = init?.signal), new Response("{}")) },
      deviceContextForTest(),
    );

    await given.fetch("https://api.example.com/v1");

    expect(signal).toBe(spec.signal);
  });

  const own = { Authorization: "Bearer of the package", "X-Api-Key": "another", Accept: "*/*" };
  test.each([
    ["an object", own],
    ["headers", new Headers(own)],
    ["pairs", Object.entries(own)],
  ])("PROVIDER-WIRE-2: keys that the package sends as %s are not sent", async (_, headers) => {
    let sent: Headers | undefined;
    const given = wireFor(
      {
        ...spec,
        keySecret: "k",
        fetch: async (__, init) => ((sent = new Headers(init?.headers)), new Response("{}")),
      },
      { ...deviceContextForTest(), providerKey: () => "the key" },
    );

    await given.fetch("https://api.example.com/v1", { headers: headers as Headers });

    expect([...sent!]).toEqual([
      ["accept", "*/*"],
      ["authorization", "Bearer the key"],
    ]);
  });

  test("PROVIDER-WIRE-1: goes once", async () => {
    const { fetch } = wireFor(spec, deviceContextForTest());
    await fetch("https://api.example.com/v1");

    await expect(fetch("https://api.example.com/v1")).rejects.toThrow("a second request");
  });
});

describe("failures", () => {
  const about = {
    model: "p/m",
    seen: {},
    signal: new AbortController().signal,
    keySecret: "k",
    spent: undefined,
    now: 0,
  };
  const failed = (statusCode: number, message: string) =>
    providerFailure({ statusCode, message }, about);

  test("an account with nothing left is not asked again", () => {
    expect(failed(429, "You exceeded your current quota: insufficient_quota")).toMatchObject({
      code: "EUPSTREAM",
      detail: { transient: false },
    });
  });

  test("an answer that may not be so long is no context that is too long", () => {
    expect(
      failed(400, "max_tokens: 100000 > 64000, the maximum allowed number of output tokens"),
    ).toMatchObject({ code: "EUPSTREAM" });
    expect(failed(400, "prompt is too long: 210000 tokens > 200000 maximum")).toMatchObject({
      code: "ECONTEXT",
    });
    expect(
      failed(400, "The input token count (1100000) exceeds the maximum number of tokens allowed"),
    ).toMatchObject({ code: "ECONTEXT" });
  });

  test("a limit that is said in the middle of a stream", () => {
    expect(
      providerFailure({ type: "rate_limit_error", message: "Rate limit reached" }, about),
    ).toMatchObject({ code: "ERATE" });
  });

  test("FAILURE-2: what was spent is said with what failed", () => {
    const spent = { usd: 0.5, tokens: 10 };

    expect(providerFailure("broken", { ...about, spent }).detail).toEqual({
      transient: true,
      spent,
    });
  });
});

describe("options", () => {
  test("VENDOR-OPTIONS-2: a form is strict where every object says all of its fields", () => {
    const inner = {
      type: "object",
      properties: { b: {} },
      required: ["b"],
      additionalProperties: false,
    };
    const outer = {
      type: "object",
      properties: { a: inner },
      required: ["a"],
      additionalProperties: false,
    };

    expect(isStrictSchema(outer)).toBe(true);
    expect(isStrictSchema({ ...outer, required: [] })).toBe(false);
    expect(
      isStrictSchema({ ...outer, properties: { a: { ...inner, additionalProperties: true } } }),
    ).toBe(false);
    expect(isStrictSchema({ type: "object" })).toBe(false);
  });

  test("Claude does not begin to think in the middle of a turn, nor where a tool must be used", () => {
    const fitting = { model: "claude-sonnet-4-5", maxTokens: 5000, window: null, provider: "p" };
    const toolCalls = [{ id: "c", tool: "t", args: {} }];
    const reasoning = [{ text: "hm", meta: { by: "p" } }];
    const turn = (more: object) => [
      user("go"),
      { role: "assistant" as const, content: "", toolCalls, ...more },
      { role: "tool" as const, toolCallId: "c", content: "done" },
    ];
    const fitted = (
      messages: ReturnType<typeof turn> | [ReturnType<typeof user>],
      more: object = {},
    ) =>
      anthropicOptions({
        ...fitting,
        request: { model: "p/x", effort: "low", messages: [...messages], ...more },
      }).reasoning;

    expect(fitted([user("go")])).toBe("low");
    expect(fitted(turn({ reasoning }))).toBe("low");
    expect(fitted(turn({}))).toBeUndefined();
    expect(fitted([user("go")], { toolChoice: "required" })).toBeUndefined();
  });
});
