// `aos configure`: chooses a provider, seals its key, and tests it with one request.
//
// CONFIGURE-1  The key is never printed and never on a command line.
// CONFIGURE-2  A key of the environment is used only with the consent of a person; the daemon itself reads none.

import { SysError, type ModelReport } from "@aos/protocol/words";
import { isAtTerminal } from "../is-at-terminal.ts";
import type { CommandCall, Command } from "../command.ts";
import { startProgress } from "../progress.ts";
import { providerArgs, type ProviderArgs } from "../provider-options.ts";
import { formatModelTest } from "../format-model.ts";

const command: Command = async (call) => {
  const { options, client, out } = call;
  const request = await providerRequest(call);
  const added = await client.addProvider(request);
  out.note(`added ${request.name} to ${added.file}`);
  if (request.key !== undefined) out.note(`its key is stored as the secret ${added.secret}`);

  const model = options.flag("test") ? await modelToTry(call, request) : undefined;
  if (model === undefined) {
    if (options.flag("test")) out.note("not tested: name a model with --model");
    await out.data({ ...added, test: null }, () => "");
    return 0;
  }
  const waiting = startProgress(out, `testing ${model}`);
  const test = await client.testModel({ model }).finally(() => waiting.stop());
  await out.data({ ...added, test }, () => formatModelTest(test));
  if (!test.ok) out.note(`${request.name} was added anyway; aos configure changes it`);
  return test.ok ? 0 : 1;
};

export default command;

async function providerRequest({ options }: CommandCall): Promise<ProviderArgs> {
  const name = options.text("provider");
  if (name !== undefined) return providerArgs(name, options);
  if (isAtTerminal()) return (await import("../ask-provider.ts")).askProvider(process.env);
  throw new SysError("EINVAL", "configure needs a terminal, or options", {
    hint: "aos configure --provider anthropic --key-stdin < key.txt",
  });
}

/** The one that was named, or the cheapest that is known. */
async function modelToTry({ options, client }: CommandCall, { name }: ProviderArgs) {
  const named = options.text("model");
  if (named !== undefined) return named.startsWith(`${name}/`) ? named : `${name}/${named}`;
  const models = await client.models({ all: true });
  return models
    .filter(({ provider, model }) => provider === name && !model.endsWith("/*"))
    .toSorted((a, b) => priceOf(a) - priceOf(b))[0]?.model;
}

const priceOf = ({ price }: ModelReport): number => price?.output ?? Infinity;
