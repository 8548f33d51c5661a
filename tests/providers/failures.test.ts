// What goes wrong at every type of provider, and what the kernel is told of it.

import { SysError } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { KEY, aimock, asking, closedOrigin, plainServer, types } from "./rig.ts";
import { streamHeaders, wireOf } from "./wires.ts";

const failureOf = async (asked: Promise<unknown>): Promise<SysError> => {
  const error = await asked.then(
    () => new Error("it was answered"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof SysError)) throw error;
  return error;
};

describe.each(types)("$type", (of) => {
  test("too many requests: ERATE, and when to come again", async () => {
    const mock = await aimock();
    mock.onMessage("hello", {
      error: { message: "slow down", type: "rate_limit_error" },
      status: 429,
      retryAfter: 7,
    });

    const failure = await failureOf(asking(of, mock.url).ask({}));

    expect(failure).toMatchObject({ code: "ERATE", retryAfter: 7000 });
    expect(failure.message).toContain("slow down");
  });

  test.each([500, 503, 529])("status %i may be over soon, and cost nothing", async (status) => {
    const mock = await aimock();
    mock.onMessage("hello", { error: { message: "we are down", type: "api_error" }, status });

    const failure = await failureOf(asking(of, mock.url).ask({}));

    expect(failure).toMatchObject({ code: "EUPSTREAM", detail: { transient: true, status } });
    expect(failure.detail).not.toHaveProperty("spent");
  });

  test("a request that is wrong is not tried again, and says why", async () => {
    const mock = await aimock();
    mock.onMessage("hello", {
      error: { message: `no such field ${KEY}`, type: "invalid_request_error" },
      status: 400,
    });

    const failure = await failureOf(asking(of, mock.url).ask({}));

    expect(failure).toMatchObject({ code: "EUPSTREAM", detail: { transient: false, status: 400 } });
    expect(failure.message).toContain("no such field");
    expect(JSON.stringify(failure.toText())).not.toContain(KEY);
  });

  test("a key that is wrong: what to do about it", async () => {
    const mock = await aimock();
    mock.onMessage("hello", { error: { message: "invalid key" }, status: 401 });

    const failure = await failureOf(asking(of, mock.url).ask({}));

    expect(failure).toMatchObject({ code: "EUPSTREAM", detail: { transient: false } });
    expect(failure.hint).toContain("aos secret set the-key");
  });

  test("more than the model takes in is ECONTEXT", async () => {
    const mock = await aimock();
    mock.onMessage("hello", {
      error: {
        message: "This model's maximum context length is 8192 tokens",
        code: "context_length_exceeded",
      },
      status: 400,
    });

    await expect(failureOf(asking(of, mock.url).ask({}))).resolves.toMatchObject({
      code: "ECONTEXT",
    });
  });

  test("a stream that is cut may be tried again, and what was said has cost something", async () => {
    const { head, text } = wireOf(of.type);
    const origin = await plainServer((response) => {
      response.writeHead(200, streamHeaders(of.type));
      response.write([...head, text].join(""), () => setImmediate(() => response.destroy()));
    });
    const models = { "*": { price: { input: 1, output: 10 } } };

    const failure = await failureOf(asking(of, origin, { models }).ask({}));

    expect(failure).toMatchObject({ code: "EUPSTREAM", detail: { transient: true } });
    const { spent } = failure.detail as { spent: { usd: number; tokens: number } };
    expect(spent.tokens).toBeGreaterThan(10);
    expect(spent.usd).toBeGreaterThan(0);
  });

  test("a stream that ends as if it were whole, and is not, is cut too", async () => {
    const { head, text } = wireOf(of.type);
    const origin = await plainServer((response) => {
      response.writeHead(200, streamHeaders(of.type));
      response.end([...head, text].join(""));
    });

    const failure = await failureOf(asking(of, origin).ask({}));

    expect(failure).toMatchObject({ code: "EUPSTREAM", detail: { transient: true } });
  });

  test("what is no JSON may be tried again", async () => {
    const mock = await aimock();
    mock.onMessage("hello", { content: "Good morning" }, { chaos: { malformedRate: 1 } });

    const failure = await failureOf(asking(of, mock.url).ask({}));

    expect(failure).toMatchObject({ code: "EUPSTREAM", detail: { transient: true } });
  });

  test("a piece that is no JSON, in the middle", async () => {
    const { head, text, tail } = wireOf(of.type);
    const broken =
      of.type === "ollama" ? '{"model": "m", "mess\n' : 'data: {"type": "content_bl\n\n';
    const origin = await plainServer((response) => {
      response.writeHead(200, streamHeaders(of.type));
      response.end([...head, text, broken, ...tail].join(""));
    });

    const failure = await failureOf(asking(of, origin).ask({}));

    expect(failure).toMatchObject({ code: "EUPSTREAM", detail: { transient: true } });
  });

  test("who is not understood is not listened to any longer", async () => {
    const { head, text } = wireOf(of.type);
    const broken = of.type === "ollama" ? "{oops\n" : "data: {oops\n\n";
    let gone: () => void = () => {};
    const closed = new Promise<void>((resolve) => (gone = resolve));
    const origin = await plainServer((response) => {
      response.on("close", gone);
      response.writeHead(200, streamHeaders(of.type));
      response.write([...head, text, broken].join(""));
    });

    await failureOf(asking(of, origin).ask({}));

    await closed;
  });

  test("who does not begin is not waited for", async () => {
    const origin = await plainServer((response) => {
      response.writeHead(200, streamHeaders(of.type));
      response.flushHeaders();
    });

    const failure = await failureOf(asking(of, origin, { firstMs: 50 }).ask({}));

    expect(failure).toMatchObject({ code: "EUPSTREAM", detail: { transient: true } });
    expect(failure.message).toContain("sent nothing");
    expect(failure.detail).not.toHaveProperty("spent");
  });

  test("what the vendor has taken up costs what it was shown, though nothing was said", async () => {
    const { head } = wireOf(of.type);
    // Of these nothing is known before the first word.
    if (["google", "ollama", "openai-chat"].includes(of.type)) return;
    const origin = await plainServer((response) => {
      response.writeHead(200, streamHeaders(of.type));
      response.write(head.join(""));
    });

    const failure = await failureOf(asking(of, origin, { idleMs: 50 }).ask({}));

    expect(failure.detail).toMatchObject({ spent: { tokens: expect.any(Number) } });
  });

  test("who stops in the middle is not waited for", async () => {
    const { head, text } = wireOf(of.type);
    const origin = await plainServer((response) => {
      response.writeHead(200, streamHeaders(of.type));
      response.write([...head, text].join(""));
    });

    const failure = await failureOf(asking(of, origin, { idleMs: 50 }).ask({}));

    expect(failure.detail).toMatchObject({
      transient: true,
      spent: { tokens: expect.any(Number) },
    });
  });

  test("what is stopped is stopped at the vendor too, and says what stopped it", async () => {
    const { head, text } = wireOf(of.type);
    let gone: () => void = () => {};
    const closed = new Promise<void>((resolve) => (gone = resolve));
    const origin = await plainServer((response) => {
      response.on("close", gone);
      response.writeHead(200, streamHeaders(of.type));
      response.write([...head, text].join(""));
    });
    const controller = new AbortController();
    const stop = () => controller.abort(new SysError("ETIMEDOUT", "time is up"));
    const { ask } = asking(of, origin, {}, stop);

    const failure = await failureOf(ask({}, controller.signal));
    await closed;

    expect(failure).toMatchObject({ code: "ETIMEDOUT", message: "time is up" });
    expect(failure.detail).toMatchObject({ spent: { tokens: expect.any(Number) } });
  });

  test("what was stopped before it began is not sent", async () => {
    const { ask, sent } = asking(of, await closedOrigin());

    const failure = await failureOf(ask({}, AbortSignal.abort()));

    expect(failure.code).toBe("EINTR");
    expect(sent).toEqual([]);
  });

  test("a provider that is not there is a failure that can be retried", async () => {
    const failure = await failureOf(asking(of, await closedOrigin()).ask({}));

    expect(failure).toMatchObject({ code: "EUPSTREAM", detail: { transient: true } });
    expect(failure.message).toContain("ECONNREFUSED");
  });

  test("a redirect is not followed: the key would go along", async () => {
    const elsewhere: string[] = [];
    const other = await plainServer((response, request) => {
      elsewhere.push(request.url!);
      response.end();
    });
    const origin = await plainServer((response) => {
      response.writeHead(307, { location: `${other}/take` });
      response.end();
    });

    const failure = await failureOf(asking(of, origin).ask({}));

    expect(failure).toMatchObject({ code: "EUPSTREAM" });
    expect(failure.detail ?? {}).not.toMatchObject({ transient: true });
    expect(elsewhere).toEqual([]);
  });
});
