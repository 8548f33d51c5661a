// launchd plist: the property list by which macOS runs the daemon, and what can be read back from one.
//
// LAUNCHD-PLIST-1  Whatever is in a path, the service runs that path: it is escaped as XML, and a control
//     character is refused.

import { refuseControlCharacters, type ServiceSpec } from "./service-spec.ts";

export const LAUNCHD_LABEL = "agent-os.daemon";

/** Whose file it is: only one that has this is replaced or removed. */
export const PLIST_MARK = "<!-- Written by `aos service install`. -->";

type Plist = string | number | boolean | readonly Plist[] | { readonly [key: string]: Plist };

export function launchdPlist(spec: ServiceSpec): string {
  const { scope, command, home, socket, user } = spec;
  const log = `${home}/daemon.log`;
  const job: Plist = {
    Label: LAUNCHD_LABEL,
    ProgramArguments: [...command],
    EnvironmentVariables: { AOS_HOME: home, AOS_SOCKET: socket },
    ...(scope === "system" && user !== undefined && { UserName: user }),
    RunAtLoad: true,
    // Started again after a crash, and not after `aos down`.
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 10,
    ExitTimeOut: 60,
    Umask: 0o077,
    StandardErrorPath: log,
    SoftResourceLimits: { NumberOfFiles: 65_536 },
  };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
${PLIST_MARK}
<plist version="1.0">
${written(job, "")}
</plist>
`;
}

function written(value: Plist, indent: string): string {
  if (typeof value === "string") return `${indent}<string>${escaped(value)}</string>`;
  if (typeof value === "number") return `${indent}<integer>${value}</integer>`;
  if (typeof value === "boolean") return `${indent}<${value}/>`;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const lines = isList
    ? (value as readonly Plist[]).map((item) => written(item, inner))
    : Object.entries(value).map(
        ([key, item]) => `${inner}<key>${escaped(key)}</key>\n${written(item as Plist, inner)}`,
      );
  const tag = isList ? "array" : "dict";
  return [`${indent}<${tag}>`, ...lines, `${indent}</${tag}>`].join("\n");
}

/** LAUNCHD-PLIST-1. */
const escaped = (text: string): string =>
  refuseControlCharacters(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** The variables that a list of ours sets. */
export function environmentOfPlist(text: string): Map<string, string> {
  const [, dict] = /<key>EnvironmentVariables<\/key>\s*<dict>(.*?)<\/dict>/s.exec(text) ?? [];
  const pairs = (dict ?? "").matchAll(/<key>(.*?)<\/key>\s*<string>(.*?)<\/string>/gs);
  return new Map(Array.from(pairs, ([, key, value]) => [unescaped(key!), unescaped(value!)]));
}
