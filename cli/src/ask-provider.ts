// Asks the person at the terminal for a provider, its address and its key.

import { isCancel, password, select, text, confirm } from "@clack/prompts";
import { keyNameOf, knownProviders, SysError } from "@aos/protocol/words";
import type { ProviderArgs } from "./provider-options.ts";

const OTHER = "other";
/** Standard output is for data. */
const common = { output: process.stderr };

export async function askProvider(
  env: Readonly<Record<string, string | undefined>>,
): Promise<ProviderArgs> {
  const chosen = await said(
    select({
      ...common,
      message: "Which provider?",
      options: [
        ...Object.entries(knownProviders).map(([value, { title }]) => ({ value, label: title })),
        { value: OTHER, label: "Another server with an OpenAI-compatible API" },
      ],
    }),
  );
  if (chosen === OTHER) return askServer();
  const { type, baseUrl: usual, key } = knownProviders[chosen]!;
  if (key === false) {
    const baseUrl = await askUrl(usual);
    return { name: chosen, type, ...(baseUrl === usual ? {} : { baseUrl }) };
  }
  return { name: chosen, type, key: (await keyOfEnvironment(chosen, env)) ?? (await askKey()) };
}

async function askServer(): Promise<ProviderArgs> {
  const name = await said(
    text({
      ...common,
      message: "Name of the provider",
      placeholder: "lab",
      validate: (given) =>
        /^[a-z0-9][a-z0-9-]{0,62}$/.test(given ?? "") ? undefined : "a-z, 0-9 and -",
    }),
  );
  const baseUrl = await askUrl("http://127.0.0.1:8080/v1");
  const key = await askKey("API key (empty if the server needs none)", true);
  return { name, type: "openai-compatible", baseUrl, ...(key === "" ? {} : { key }) };
}

const askUrl = (usual: string): Promise<string> =>
  said(
    text({
      ...common,
      message: "Address of the server",
      initialValue: usual,
      validate: (given) =>
        /^https?:$/.test(URL.parse(given ?? "")?.protocol ?? "")
          ? undefined
          : "http://… or https://…",
    }),
  );

const askKey = (message = "Its key", mayBeEmpty = false): Promise<string> =>
  said(
    password({
      ...common,
      message,
      validate: (given) => (mayBeEmpty || (given ?? "").trim() !== "" ? undefined : "it is empty"),
    }),
  ).then((key) => ((key as string | undefined) ?? "").trim());

async function keyOfEnvironment(
  provider: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const name = keyNameOf(provider);
  const value = env[name]?.trim();
  if (value === undefined || value === "") return undefined;
  const isWanted = await said(
    confirm({ ...common, message: `${name} is set in your environment. Store that key?` }),
  );
  return isWanted ? value : undefined;
}

async function said<T>(asking: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await asking;
  if (isCancel(answer)) throw new SysError("EINTR", "nothing was written");
  return answer as Exclude<T, symbol>;
}
