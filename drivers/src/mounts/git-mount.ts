// Git mount: the tree of a repository at a commit, below /mnt/NAME.
//
// GIT-MOUNT-1  Git runs in the sandbox, sees nothing but the repository, which it cannot write, and has no network.
//     Nothing that the repository names runs: no hook, filter, helper, pager or transport.
// GIT-MOUNT-2  A list, a read and a search are of one commit: the one that the declared name stands for at the call.

import { buffer } from "node:stream/consumers";
import { SysError, type DeviceContext, type Connector, type MountRequest } from "@aos/protocol";
import type { Sandbox } from "../sandbox/sandbox.ts";
import {
  connector,
  isPlainName,
  MOST_BYTES,
  noFile,
  pageOfPaths,
  shownBytes,
  type DeclaredMount,
} from "./connector.ts";
import { coversFiles } from "./mount-reach.ts";

type GitDeclaration = Extract<DeclaredMount["declaration"], { driver: "git" }>;

const AT = "/repository";

/** GIT-MOUNT-1. */
const SAFE = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.pager=cat",
  "core.sshCommand=false",
  "core.alternateRefsCommand=false",
  "credential.helper=",
  "protocol.allow=never",
  "safe.directory=*",
].flatMap((setting) => ["-c", setting]);

const ENV = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  LC_ALL: "C.UTF-8",
};

export function gitMount(
  declared: DeclaredMount<GitDeclaration>,
  sandbox: () => Promise<Sandbox>,
): Connector {
  const { repository, commit } = declared.declaration;
  const git = (context: DeviceContext, words: readonly string[]) =>
    runGit(sandbox, repository, words, context);
  /** GIT-MOUNT-2. */
  const treeOf = async (context: DeviceContext): Promise<string> => {
    context.authorize({ kind: "file", resource: repository, verb: "read" });
    const { code, bytes, stderr } = await git(context, [
      "rev-parse",
      "--verify",
      "--quiet",
      "--end-of-options",
      `${commit}^{commit}`,
    ]);
    const id = bytes.toString().trim();
    if (code === 0 && /^[0-9a-f]{40,64}$/.test(id)) return id;
    throw new SysError("EUPSTREAM", `${commit} is no commit of the repository${said(stderr)}`);
  };
  return connector(declared, {
    target: `${repository} at ${commit}`,
    egress: false,
    covers: coversFiles(repository),
    needs: () => [{ kind: "file", resource: repository, verb: "read" }],
    async list(request, context) {
      return pageOfPaths(await filesAt(git, await treeOf(context), request, context), request);
    },
    async read(request, context) {
      const tree = await treeOf(context);
      const { code, bytes } = await git(context, ["cat-file", "blob", `${tree}:${request.path}`]);
      if (code !== 0) throw noFile(request.path);
      return shownBytes(bytes, request);
    },
    async search(request, context) {
      const tree = await treeOf(context);
      return searchTree(git, tree, request, context);
    },
  });
}

type RunGit = (
  context: DeviceContext,
  words: readonly string[],
) => Promise<{ code: number | null; bytes: Buffer; stderr: string }>;

async function filesAt(
  git: RunGit,
  tree: string,
  { path }: MountRequest,
  context: DeviceContext,
): Promise<string[]> {
  const { code, bytes } = await git(context, [
    "ls-tree",
    "-r",
    "-z",
    "--name-only",
    "--full-tree",
    path === "" ? tree : `${tree}:${path}`,
  ]);
  if (code !== 0) throw noFile(path);
  return bytes
    .toString()
    .split("\0")
    .filter((name) => name !== "" && name.split("/").every(isPlainName))
    .map((name) => (path === "" ? name : `${path}/${name}`))
    .sort();
}

const USUAL_HITS = 10;

/** The lines that have the words as they were asked for. */
async function searchTree(
  git: RunGit,
  tree: string,
  { path, query = "", limit }: MountRequest,
  context: DeviceContext,
) {
  const { code, bytes } = await git(context, [
    "grep",
    "--no-color",
    "-I",
    "-i",
    "-z",
    "-n",
    "--fixed-strings",
    "-e",
    query,
    tree,
    "--",
    ...(path === "" ? [] : [`:(literal)${path}`]),
  ]);
  if (code !== 0 && code !== 1) throw new SysError("EUPSTREAM", "git grep failed");
  const found = bytes
    .toString()
    .split("\n")
    .flatMap((line) => {
      const [name = "", number, text = ""] = line.slice(tree.length + 1).split("\0");
      return number === undefined
        ? []
        : [{ path: name, data: `${number}: ${text.trim().slice(0, 300)}`, score: 1 }];
    });
  return { found: found.slice(0, limit ?? USUAL_HITS), next: null };
}

async function runGit(
  sandboxOf: () => Promise<Sandbox>,
  repository: string,
  words: readonly string[],
  context: DeviceContext,
): Promise<{ code: number | null; bytes: Buffer; stderr: string }> {
  const sandbox = await sandboxOf();
  const isConfined = sandbox.report.level !== "none";
  const folder = isConfined ? AT : repository;
  const run = await sandbox.start({
    command: ["git", ...SAFE, "-C", folder, ...words],
    name: "git",
    output: "stream",
    input: "",
    mounts: [{ from: repository, at: AT, mode: "read" }],
    folder: "/tmp",
    env: ENV,
    network: "none",
    profile: "tool",
    signal: context.signal,
  });
  const [bytes, stderr, ending] = await Promise.all([
    atMost(run.stdout!, MOST_BYTES),
    buffer(run.stderr!),
    run.ended,
  ]);
  if (ending.notStarted !== undefined)
    throw new SysError("EUPSTREAM", "git is not installed where the sandbox sees it");
  if (bytes === undefined) throw new SysError("EINVAL", `it has more than ${MOST_BYTES} bytes`);
  return { code: ending.code, bytes, stderr: stderr.toString() };
}

/** Undefined where there is more: the rest is read and dropped, so that the run ends. */
async function atMost(stream: NodeJS.ReadableStream, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += (chunk as Buffer).length;
    if (size <= most) chunks.push(chunk as Buffer);
  }
  return size > most ? undefined : Buffer.concat(chunks);
}

const said = (stderr: string): string => {
  const line = stderr.trim().split("\n", 1)[0] ?? "";
  return line === "" ? "" : `: ${line.slice(0, 200)}`;
};
