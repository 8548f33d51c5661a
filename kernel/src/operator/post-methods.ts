// The kernel's methods about the outbox and the inbox: what is to be said to people, and what they said, kept until it
// is done. The daemon finds the words, sends and answers; nothing of it decides what a run may do.
//
// POST-METHODS-1  What is taken is leased: it comes again once the lease is over, and under the same id.

import { SysError } from "@aos/protocol";
import { questionLines } from "../inspection/approval-queue.ts";
import type { EndedRootRow, PostChange, PostRow, PostState } from "../store/post-rows.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import type { OpenKernel } from "./open-kernel.ts";

export interface Post extends Omit<PostRow, "tenant"> {
  readonly tenant: string;
}

export interface NewPost extends Pick<Post, "id" | "tenant" | "box" | "target" | "kind"> {
  readonly thread?: string;
  readonly subject?: string;
  readonly body?: string;
  /** `waiting`, unless said. */
  readonly state?: PostState;
  readonly error?: string;
}

/** As a change of a row, with times from now on. */
export interface PostOutcome extends Pick<PostChange, "pid" | "body" | "attempts"> {
  readonly state?: PostState;
  readonly error?: string;
  /** When it is due again. */
  readonly inMs?: number;
  /** It stays the caller's. */
  readonly leaseMs?: number;
}

export interface PostFilter {
  readonly tenant?: string | undefined;
  readonly box?: Post["box"] | undefined;
  readonly target?: string | undefined;
  readonly thread?: string | undefined;
  readonly states?: readonly PostState[] | undefined;
  /** Those that came before this one, by its id. */
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

interface PostCount {
  readonly tenant: string;
  readonly box: Post["box"];
  readonly target: string;
  readonly state: PostState;
  readonly count: number;
}

interface PersonOfQuestion {
  readonly question: string;
  readonly person: string;
}

export interface PostMethods {
  /** False where it is there already. */
  addPost(post: NewPost): Promise<boolean>;
  /** Those that are due, for so long. */
  takePosts(
    box: Post["box"],
    of: { readonly limit: number; readonly leaseMs: number },
  ): Promise<Post[]>;
  /** False where it is no longer in the state that it is `from`. */
  settlePost(id: string, outcome: PostOutcome, from?: PostState): Promise<boolean>;
  /** The newest first. */
  posts(filter?: PostFilter): Promise<Post[]>;
  /** One that was given up or held, again. */
  retryPost(id: string, of: { readonly tenant?: string; readonly by: string }): Promise<Post>;
  /** The id of an older one of its thread that is not done. */
  postBefore(post: Post): Promise<string | undefined>;
  /** How many there are, by target and state. */
  postSums(filter?: { readonly tenant?: string }): Promise<PostCount[]>;
  countPosts(of: { readonly tenant: string; target: string; sinceMs: number }): Promise<number>;
  prunePosts(olderThanMs: number): Promise<void>;
  /** False where this person has answered this question by a link before. */
  useLink(of: PersonOfQuestion & { readonly tenant: string }): Promise<boolean>;
  /** When that was, in milliseconds since 1970. */
  linkUsedAt(of: PersonOfQuestion): Promise<number | undefined>;
  freeLink(of: PersonOfQuestion): Promise<void>;
  /** From when on a target is told of runs; now, where it was never asked. */
  postMark(of: { readonly tenant: string; readonly target: string }): Promise<number>;
  setPostMark(of: { readonly tenant: string; readonly target: string; at: number }): Promise<void>;
  /** Runs that nobody's parent started and that ended from then on, the first to end first. */
  endedRuns(of: {
    readonly sinceMs: number;
    readonly after: number;
    readonly limit: number;
  }): Promise<(Omit<EndedRootRow, "tenant"> & { readonly tenant: string })[]>;
  /** The ids of open questions; of those that one answer settles only the oldest. */
  openQuestionIds(tenant: string): Promise<string[]>;
  /** A secret of the vault that is bound to `notify:NAME` or `channel:NAME`. */
  serviceSecret(of: {
    readonly tenant: string;
    readonly name: string;
    readonly service: string;
  }): Promise<string>;
  /** Authentication codes of a text, by keys that only this kernel and nodes with the same secret key have. The first signs. */
  authenticationCodes(purpose: string, text: string): Promise<readonly string[]>;
}

export const postReach = {
  addPost: "all",
  takePosts: "all",
  settlePost: "all",
  posts: { scope: 0 },
  retryPost: { scope: 1 },
  postBefore: "all",
  postSums: { scope: 0 },
  countPosts: "all",
  prunePosts: "all",
  useLink: "all",
  linkUsedAt: "all",
  freeLink: "all",
  postMark: "all",
  setPostMark: "all",
  endedRuns: "all",
  openQuestionIds: "all",
  serviceSecret: "all",
  authenticationCodes: "all",
} as const satisfies Record<keyof PostMethods, MethodReach>;

const PAGE = 100;

export function postMethods(parts: KernelParts, open: OpenKernel): PostMethods {
  const { store, platform, tenants, journal } = parts;
  const named = async <Row extends { readonly tenant: number }>(rows: readonly Row[]) => {
    const names = new Map<number, string>();
    for (const { tenant } of rows)
      if (!names.has(tenant)) names.set(tenant, await store.tenantName(tenant));
    return rows.map((row) => ({ ...row, tenant: names.get(row.tenant)! }));
  };
  const find = async (id: string, tenant: string | undefined): Promise<PostRow> => {
    const row = await store.post(id);
    const isTheirs = tenant === undefined || row?.tenant === (await tenants.keyOf(tenant));
    if (row !== undefined && isTheirs) return row;
    throw new SysError("ENOENT", `unknown notification ${id}`, {
      hint: "`aos notify log` lists them",
    });
  };
  return {
    async addPost({ tenant, error, ...post }) {
      open.mustBeOpen();
      const at = platform.now();
      const state = post.state ?? "waiting";
      return store.addPost({
        thread: "",
        subject: "",
        body: "",
        ...post,
        state,
        tenant: await tenants.keyOf(tenant),
        attempts: 0,
        dueAt: at,
        leaseUntil: 0,
        pid: null,
        error: error ?? null,
        createdAt: at,
        settledAt: state === "waiting" ? null : at,
      });
    },
    async takePosts(box, { limit, leaseMs }) {
      open.mustBeOpen();
      const nowMs = platform.now();
      return named(await store.takePosts({ box, nowMs, leaseUntil: nowMs + leaseMs, limit }));
    },
    async settlePost(id, { state, inMs, leaseMs, error, ...change }, from = "waiting") {
      open.mustBeOpen();
      const at = platform.now();
      const write: PostChange = {
        ...change,
        ...(state === undefined ? {} : { state }),
        ...(inMs === undefined ? {} : { dueAt: at + inMs }),
        ...(leaseMs === undefined ? {} : { leaseUntil: at + leaseMs }),
        ...(state === undefined || state === "waiting" ? {} : { settledAt: at }),
        error: error ?? null,
      };
      return store.changePost(id, write, from);
    },
    async posts({ tenant, before, limit = PAGE, ...of } = {}) {
      open.mustBeOpen();
      const key = tenant === undefined ? undefined : await tenants.keyOf(tenant);
      const from = before === undefined ? undefined : await find(before, tenant);
      return named(await store.posts({ ...of, tenant: key, before: from, limit }));
    },
    async retryPost(id, { tenant, by }) {
      open.mustBeOpen();
      const row = await find(id, tenant);
      if (row.state !== "dead" && row.state !== "held")
        throw new SysError("ESTATE", `${id} is ${row.state}: only what is dead or held is retried`);
      const again = { state: "waiting", dueAt: platform.now(), attempts: 0 } as const;
      if (!(await store.changePost(id, again, row.state)))
        throw new SysError("ESTATE", `${id} has changed meanwhile`);
      const detail = { post: id, target: row.target, was: row.state };
      parts.ledger.add({ what: "notify.retry", by, detail, tenant: row.tenant });
      await journal.durable();
      return (await named([(await store.post(id))!]))[0]!;
    },
    async postBefore({ tenant, ...post }) {
      return store.postBefore({ ...post, tenant: await tenants.keyOf(tenant) });
    },
    async postSums({ tenant } = {}) {
      open.mustBeOpen();
      const sums = await named(await store.postSums());
      return tenant === undefined ? sums : sums.filter((sum) => sum.tenant === tenant);
    },
    async countPosts({ tenant, target, sinceMs }) {
      return store.countPosts(await tenants.keyOf(tenant), target, sinceMs);
    },
    prunePosts: (olderThanMs) => store.prunePosts(platform.now() - olderThanMs),
    async useLink({ question, person, tenant }) {
      open.mustBeOpen();
      const at = platform.now();
      return store.useLink({ question, person, tenant: await tenants.keyOf(tenant), at });
    },
    linkUsedAt: async ({ question, person }) => (await store.usedLink(question, person))?.at,
    freeLink: ({ question, person }) => store.freeLink(question, person),
    async postMark({ tenant, target }) {
      open.mustBeOpen();
      const key = await tenants.keyOf(tenant);
      const known = await store.postMark(key, target);
      if (known !== undefined) return known;
      await store.setPostMark(key, target, platform.now());
      return (await store.postMark(key, target))!;
    },
    async setPostMark({ tenant, target, at }) {
      await store.setPostMark(await tenants.keyOf(tenant), target, at);
    },
    async endedRuns({ sinceMs, after, limit }) {
      open.mustBeOpen();
      await journal.durable();
      return named(await store.endedRoots(sinceMs, after, limit));
    },
    async openQuestionIds(tenant) {
      open.mustBeOpen();
      const of = { tenant: await tenants.keyOf(tenant) };
      return (await questionLines(store, platform.now(), of)).map(({ first }) => first.id);
    },
    async serviceSecret({ tenant, name, service }) {
      open.mustBeOpen();
      return parts.vault.reveal(tenant, name, { kind: "service", service });
    },
    async authenticationCodes(purpose, text) {
      open.mustBeOpen();
      return parts.tokens.authenticationCodes(purpose, text);
    },
  };
}
