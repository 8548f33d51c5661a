// Rig: the drivers of all types of provider, and the servers that they talk to: aimock, which speaks
// every vendor's wire, and a plain one that says exactly what a test gives it.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { LLMock } from "@copilotkit/aimock";
import {
  type Message,
  type ModelDriver,
  type Progress,
  type ProviderType,
  providerTypes,
  type SecretPlace,
  type SyscallArgs,
} from "@aos/protocol";
import { onTestFinished } from "vitest";
import { createProvider, type ProviderOptions } from "@aos/drivers";
import { deviceContextForTest } from "../helpers/drivers/device-context.ts";

export type Request = SyscallArgs<"infer">;
/** A body as it was sent: the test knows what is in it. */
export type Body = ReturnType<typeof JSON.parse>;

export const KEY = "sk-test-0123456789abcdef";
export const user = (content: string): Message => ({ role: "user", content });

interface TypeForTest {
  readonly type: ProviderType;
  readonly path: string;
  readonly model: string;
  readonly header: string;
}

const rows: Record<ProviderType, Omit<TypeForTest, "type">> = {
  anthropic: { path: "/v1", model: "p/claude-sonnet-4-5", header: "x-api-key" },
  openai: { path: "/v1", model: "p/gpt-5", header: "authorization" },
  "openai-chat": { path: "/v1", model: "p/gpt-4.1", header: "authorization" },
  google: { path: "/v1beta", model: "p/gemini-2.5-pro", header: "x-goog-api-key" },
  "openai-compatible": { path: "/v1", model: "p/some-model", header: "authorization" },
  ollama: { path: "/api", model: "p/qwen3:8b", header: "authorization" },
};
export const types: readonly TypeForTest[] = providerTypes.map((type) => ({ type, ...rows[type] }));
export const typeOf = (type: ProviderType): TypeForTest => ({ type, ...rows[type] });

/** What went over the wire. */
export interface Sent {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly body: Body;
}

export interface Asking {
  readonly driver: ModelDriver;
  readonly sent: Sent[];
  readonly deltas: Progress[];
  readonly places: SecretPlace[];
  readonly ask: (
    request: Partial<Request>,
    signal?: AbortSignal,
  ) => ReturnType<ModelDriver["infer"]>;
}

export function asking(
  of: TypeForTest,
  origin: string,
  more: Partial<ProviderOptions> = {},
  onProgress: (delta: Progress) => void = () => {},
): Asking {
  const sent: Sent[] = [];
  const deltas: Progress[] = [];
  const places: SecretPlace[] = [];
  const driver = createProvider({
    name: "p",
    type: of.type,
    baseUrl: `${origin}${of.path}`,
    keySecret: "the-key",
    fetch: async (input, init) => {
      const text = typeof init?.body === "string" ? init.body : "";
      const headers = Object.fromEntries(new Headers(init?.headers));
      sent.push({
        url: new URL(input as string | URL).href,
        headers,
        text,
        body: JSON.parse(text || "{}"),
      });
      return fetch(input, init);
    },
    ...more,
  });
  return {
    driver,
    sent,
    deltas,
    places,
    ask: (request, signal) =>
      driver.infer(
        { model: of.model, messages: [user("hello")], ...request },
        deviceContextForTest({
          ...(signal === undefined ? {} : { signal }),
          secrets: (_name, place) => {
            places.push(place);
            return KEY;
          },
          onProgress: (delta) => {
            deltas.push(delta);
            onProgress(delta);
          },
        }),
      ),
  };
}

export async function aimock(): Promise<LLMock> {
  const mock = new LLMock({ port: 0, chunkSize: 4 });
  await mock.start();
  onTestFinished(() => mock.stop());
  return mock;
}

/** A server that answers every request with what `answer` writes. */
export async function plainServer(
  answer: (response: ServerResponse, request: IncomingMessage) => unknown,
): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => answer(response, request));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Where nobody listens any more. */
export async function closedOrigin(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
