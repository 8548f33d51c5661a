// Requests of several processes at once, to one model of one provider, which is opened once for all of them.

import { describe, expect, test } from "vitest";
import { createProvider } from "@aos/drivers";
import { deviceContextForTest } from "../helpers/drivers/device-context.ts";
import { aimock, types, user } from "./rig.ts";

const names = ["ada", "bo", "cy", "di", "ed", "flo"];

describe.each(types)("$type", ({ type, path, model, header }) => {
  test("PROVIDER-4: each goes with its own key and its own limit, stops alone, and hears its own answer", async () => {
    const mock = await aimock();
    for (const name of names) mock.onMessage(`I am ${name}.`, { content: `Hello ${name}.` });
    // Nobody goes on before all are there, or have failed: they are all under way at one time.
    const sent: { name: string; key: string | null; limit: boolean }[] = [];
    const all = Promise.withResolvers<void>();
    const there = new Set<string>();
    const arrive = (name: string) => {
      if (there.add(name).size === names.length) all.resolve();
    };
    const driver = createProvider({
      name: "p",
      type,
      baseUrl: `${mock.url}${path}`,
      keySecret: "the-key",
      fetch: async (input, init) => {
        const text = init?.body as string;
        const at = names.findIndex((name) => text.includes(`I am ${name}.`));
        const key = new Headers(init?.headers).get(header);
        sent.push({ name: names[at]!, key, limit: text.includes(`${1000 + at}`) });
        arrive(names[at]!);
        await all.promise;
        return fetch(input, init);
      },
    });
    const stop = new AbortController();
    const ask = async (name: string, at: number) => {
      const said: string[] = [];
      const context = deviceContextForTest({
        secrets: () => `key-of-${name}`,
        onProgress: ({ text: delta }) => void said.push(delta),
        ...(name === "cy" ? { signal: stop.signal } : {}),
      });
      const messages = [user(`I am ${name}.`)];
      const { text } = await driver
        .infer({ model, messages, maxTokens: 1000 + at }, context)
        .finally(() => arrive(name));
      return { name, text, said: said.join("") };
    };

    void all.promise.then(() => stop.abort(new Error("cy was stopped")));
    const heard = await Promise.allSettled(names.map(ask));

    const prefix = header === "authorization" ? "Bearer " : "";
    const byName = sent.toSorted((one, other) => one.name.localeCompare(other.name));
    expect(byName).toEqual(
      names.map((name) => ({ name, key: `${prefix}key-of-${name}`, limit: true })),
    );
    expect(heard.map((each) => (each.status === "fulfilled" ? each.value : "stopped"))).toEqual(
      names.map((name) =>
        name === "cy" ? "stopped" : { name, text: `Hello ${name}.`, said: `Hello ${name}.` },
      ),
    );
  });
});
