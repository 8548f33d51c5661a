// Traces, as a collector gets them: OTLP over HTTP as JSON, from the real daemon.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { createRig } from "./rig.ts";

const SLOW = { timeout: 120_000, interval: 50 };

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly arrayValue?: { readonly values: readonly Value[] };
}
interface Attribute {
  readonly key: string;
  readonly value: Value;
}
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly Attribute[];
}

/** A collector that keeps what it gets. */
async function startCollector() {
  const spans: Span[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      bodies.push(body);
      const { resourceSpans } = JSON.parse(body) as {
        resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
      };
      spans.push(...resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)));
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { spans, bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const attributesOf = ({ attributes }: Span): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.intValue ?? value.arrayValue?.values.map((one) => one.stringValue),
    ]),
  );

function rigFor(env: Record<string, string> = {}) {
  const rig = createRig(env);
  onTestFinished(() => rig.home.remove());
  rig.agent("child", {
    turns: '  - say: "the word is {{input}}"\n',
    tools: "[]",
    capabilities: [],
  });
  rig.agent("caller", {
    turns: "  - call: [{ tool: echo, args: { text: hunter2 } }]\n  - say: done\n",
    tools: "[echo]",
    capabilities: ["tool:echo:call"],
  });
  return rig;
}

test("a run is a span with its calls below it, and nothing that was said is told", async () => {
  const collector = await startCollector();
  const rig = rigFor({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await rig.home.aos("up", "-d");

  const { pid } = await rig.client.spawn({ agent: "caller", input: "hunter2" });
  await rig.client.wait({ pid });
  await rig.home.aos("down");

  const named = (name: string) => collector.spans.filter((span) => span.name === name);
  const [run] = named("invoke_agent caller");
  const [tool] = named("execute_tool echo");
  const [, chat] = named("chat caller-words");
  expect(collector.spans).toHaveLength(4);
  expect(run?.parentSpanId ?? "").toBe("");
  expect(tool?.parentSpanId).toBe(run!.spanId);
  expect(chat?.parentSpanId).toBe(run!.spanId);
  expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(attributesOf(run!)).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "caller",
    "gen_ai.agent.id": pid,
    "gen_ai.conversation.id": pid,
    "aos.state": "completed",
  });
  expect(attributesOf(tool!)).toMatchObject({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "echo",
    "gen_ai.tool.type": "function",
  });
  expect(attributesOf(chat!)).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "scripted",
    "gen_ai.request.model": "caller-words",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": expect.any(Number),
    "gen_ai.usage.output_tokens": expect.any(Number),
  });
  expect(chat!.kind).toBe(3);
  for (const span of collector.spans)
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
  expect(collector.bodies.join("")).not.toContain("hunter2");
  expect(collector.bodies.join("")).toContain('"agent-os"');
});

test("with telemetry.content what was said goes along, secrets taken out; a failure is told by its code", async () => {
  const collector = await startCollector();
  const rig = rigFor();
  rig.config(`telemetry: { otlp: "${collector.url}", content: true }\n`);
  rig.agent("tries", {
    turns: '  - call: [{ tool: http.fetch, args: { url: "http://127.0.0.1:1/" } }]\n  - say: no\n',
    tools: "[http.fetch]",
    capabilities: ["tool:http.fetch:call"],
  });
  await rig.home.aos("up", "-d");
  const bindings = [{ kind: "variable" as const, tool: "shell.exec", variable: "X" }];
  await rig.client.setSecret({ name: "X", value: "correct-horse-battery", bindings });

  const { pid } = await rig.client.spawn({ agent: "child", input: "say correct-horse-battery" });
  await rig.client.wait({ pid });
  const tried = await rig.client.spawn({ agent: "tries" });
  await rig.client.wait({ pid: tried.pid });
  await vi.waitFor(() => {
    expect(collector.spans.map(({ name }) => name)).toContain("invoke_agent tries");
  }, SLOW);

  const chat = attributesOf(collector.spans.find(({ name }) => name === "chat child-words")!);
  expect(chat["gen_ai.input.messages"]).toMatch(/"role":"user".*say \[secret:X\]/);
  expect(chat["gen_ai.output.messages"]).toMatch(/"role":"assistant".*the word is say/);
  expect(chat["gen_ai.input.messages"]).not.toMatch(/the word is/);
  expect(collector.bodies.join("")).not.toContain("correct-horse-battery");
  const refused = collector.spans.find(({ name }) => name === "execute_tool http.fetch")!;
  expect(attributesOf(refused)).toMatchObject({ "error.type": "EACCES" });
  expect(refused.status.code).toBe(2);
});

test("a collector that is not there costs a line of the log and nothing else", async () => {
  const rig = rigFor();
  rig.config('telemetry: { otlp: "http://127.0.0.1:1" }\n');
  await rig.home.aos("up", "-d");

  const { pid } = await rig.client.spawn({ agent: "child", input: "x" });

  expect(await rig.client.wait({ pid })).toMatchObject({ state: "completed" });
  expect((await rig.home.aos("down")).code).toBe(0);
});
