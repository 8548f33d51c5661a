// Machine checks: what the machine and the configuration lack for some agents: programs, providers, keys.
//
// MACHINE-CHECKS-1  Each is optional: everything else works without it. A missing item is reported with how to get
//     it.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { DEFAULT_TENANT, helperPrograms, keyNameOf, type DoctorCheck } from "@aos/protocol";
import { findChromium } from "@aos/drivers";
import type { GatewayContext } from "../gateway/gateway-context.ts";

/** Where the sandbox has programs, whatever the PATH says. */
const ALWAYS = ["/usr/local/bin", "/usr/bin", "/bin"];

export function findOnPath(program: string, path = process.env["PATH"] ?? ""): string | undefined {
  const folders = [...path.split(delimiter).filter((folder) => folder.startsWith("/")), ...ALWAYS];
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export const programChecks = (
  find: (program: string) => string | undefined = found,
): DoctorCheck[] =>
  helperPrograms.map(({ program, purpose }) => {
    const place = find(program);
    return place === undefined
      ? {
          name: "program",
          ok: false,
          isOptional: true,
          detail: `${program} is not installed (${purpose})`,
          hint: "`aos doctor --fix` installs it",
          program,
        }
      : { name: "program", ok: true, detail: `${program}: ${place}` };
  });

const found = (program: string): string | undefined =>
  program === "chromium" ? (findChromium() ?? findOnPath("chromium")) : findOnPath(program);

type Models = Pick<GatewayContext["models"], "config" | "declaration">;

/** The providers that are configured, and whose keys are not there. */
export async function modelChecks({
  kernel,
  models,
}: {
  readonly kernel: Pick<GatewayContext["kernel"], "secrets">;
  readonly models: Models;
}): Promise<DoctorCheck[]> {
  const secrets = (await kernel.secrets()).filter(({ tenant }) => tenant === DEFAULT_TENANT);
  const isSet = (name: string) => secrets.some((secret) => secret.name === name);
  const providers = Object.keys(models.config.providers).filter((name) => name !== "scripted");
  const used = Object.keys(models.config.models).map((name) => name.split("/", 1)[0]!);
  const named = [...new Set([...providers, ...used])].toSorted();
  const withKeys = Object.values(secrets).filter(({ name }) => name.endsWith("_API_KEY"));
  if (named.length === 0 && withKeys.length === 0)
    return [
      {
        name: "model provider",
        ok: false,
        isOptional: true,
        detail: "none is configured: only scripted models answer",
        hint: "`aos configure` asks for a provider and its key",
      },
    ];
  return named.map((provider): DoctorCheck => {
    const secret = models.declaration(provider)?.keySecret;
    const name = "model provider";
    if (secret === undefined) return { name, ok: true, detail: `${provider}: needs no key` };
    if (isSet(secret)) return { name, ok: true, detail: `${provider}: key ${secret}` };
    return {
      name,
      ok: false,
      isOptional: true,
      detail: `${provider}: its key ${secret} is not set`,
      hint: `\`aos secret set ${secret === keyNameOf(provider) ? secret : JSON.stringify(secret)}\``,
    };
  });
}
