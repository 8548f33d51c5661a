// A home whose agent remembers what can be tidied: copies, replaced facts, episodes of one goal, and too many rows.

import { join } from "node:path";
import { bootKernel, type Kernel } from "@aos/kernel";
import type { Json, Sys } from "@aos/protocol";

const fact = (text: string, more: object = {}): Json => ({
  kind: "fact",
  text,
  source: "agent",
  confidence: 0.8,
  ...more,
});

const writer = async (sys: Sys): Promise<Json> => {
  const facts = "/mem/semantic/facts";
  await sys.write(`${facts}/port/a`, fact("The gateway has port 80.", { subject: "port" }));
  await sys.write(
    `${facts}/port/b`,
    fact("The gateway has port 81.", { subject: "port", replaces: "port/a" }),
  );
  await sys.write(`${facts}/general/c`, fact("the  gateway has port 81."));
  for (let at = 0; at < 4; at++) await sys.write(`${facts}/tea/${at}`, fact(`Tea number ${at}.`));
  for (let at = 1; at < 4; at++)
    await sys.write(`/mem/episodic/tasks/${at}`, {
      kind: "episode",
      goal: "Deploy the shop",
      action: "deploy",
      result: "full",
      outcome: "bad",
    });
  return null;
};

export const bootTidyHome = (home: string): Promise<Kernel> =>
  bootKernel({
    store: { file: join(home, "aos.db") },
    auditFolder: join(home, "audit"),
    keyFile: join(home, "key"),
    programs: { writer },
  });

export async function fillTidyHome(kernel: Kernel): Promise<void> {
  const capabilities = ["memory:/mem/**:*"];
  await kernel.wait(await kernel.spawn({ agent: "writer", capabilities }));
}
