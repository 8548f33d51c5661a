// PageGate: assigns the requests of pages to the call in progress, since a browser lives longer than a call.
//
// PAGE-GATE-1  Between calls, and during read-only calls, nothing leaves the browser.
// PAGE-GATE-2  No tunnel passes unread: it would outlive its call and its grants.
// PAGE-GATE-3  A page never receives a secret.
// PAGE-GATE-4  Only requests of pages leave: requests of the browser itself are refused without asking the gate.

import { type DeviceContext, SysError, type Touch } from "@aos/protocol";

export interface RefusedRequest {
  /** `host:port/path`, or the URL where it is none of the web. */
  readonly resource: string;
  readonly verb: string;
  readonly code: string;
}

const MAX_REFUSED = 50;
const MAX_CHARS = 500;

/** One call of a tool, as far as the pages notice it. */
export class PageCall {
  readonly context: DeviceContext;
  readonly isOnline: boolean;
  readonly downloads: string[] = [];
  readonly dialogs: string[] = [];
  /** What kept the page itself from being shown. */
  pageRefusal: SysError | undefined;
  readonly #refused = new Map<
    string,
    { readonly said: RefusedRequest; readonly error: SysError }
  >();
  /** Hosts with their ports that pages asked for; ports with paths that were let through by name. */
  readonly #expected = new Set<string>();
  /** A page that the gate has been asked about with the call. */
  #asked: string | undefined;

  constructor(context: DeviceContext, isOnline: boolean, asked?: string) {
    this.context = context;
    this.isOnline = isOnline;
    this.#asked = asked;
  }

  get refused(): readonly RefusedRequest[] {
    return [...this.#refused.values()].map(({ said }) => said);
  }

  /** Gives the error, to be thrown. */
  refuse(resource: string, verb: string, error: SysError): SysError {
    const said = { resource: resource.slice(0, MAX_CHARS), verb, code: error.code };
    if (this.#refused.size < MAX_REFUSED) this.#refused.set(JSON.stringify(said), { said, error });
    return error;
  }

  /** Why something at this port and path was refused, whatever its host is called: it may be its address. */
  refusalAt(place: string): SysError | undefined {
    return [...this.#refused.values()].find(({ said }) => said.resource.endsWith(place))?.error;
  }

  note(list: "downloads" | "dialogs", text: string): void {
    if (this[list].length < MAX_REFUSED) this[list].push(text.slice(0, MAX_CHARS));
  }

  /** Says that a page asks for it: `host:port/path`. */
  expect(resource: string): void {
    this.#expected.add(hostIn(resource));
  }

  /** PAGE-GATE-4. A name is asked about before its addresses are, with the same port and path. */
  isExpected({ resource }: Touch): boolean {
    const host = hostIn(resource);
    const rest = `${host.slice(host.lastIndexOf(":"))}${resource.slice(host.length)}`;
    if (this.#expected.has(host)) this.#expected.add(rest);
    return this.#expected.has(rest);
  }

  /** Throws the refusal. */
  authorize(touch: Touch): void {
    try {
      this.context.authorize(touch);
    } catch (error) {
      throw error instanceof SysError ? this.refuse(touch.resource, touch.verb, error) : error;
    }
  }

  /** Asks for a page, once: where the call led is asked about before it begins. */
  authorizePage(resource: string): void {
    const isAsked = this.#asked === resource;
    this.#asked = undefined;
    if (!isAsked) this.authorize({ kind: "browser", resource, verb: "navigate" });
  }
}

const hostIn = (resource: string): string => resource.split("/", 1)[0]!;

const closed = (): SysError =>
  new SysError("EACCES", "a page may use the network only during navigate, click and fill");

export class PageGate {
  #call: PageCall | undefined;

  /** The call that is under way and may send; PAGE-GATE-1. */
  get online(): PageCall | undefined {
    return this.#call?.isOnline === true ? this.#call : undefined;
  }

  get call(): PageCall | undefined {
    return this.#call;
  }

  open(call: PageCall): void {
    this.#call = call;
  }

  close(): void {
    this.#call = undefined;
  }

  /** What the browser's proxy asks. `opener` is who started the browser, and lends it nothing. */
  contextOf(opener: DeviceContext): DeviceContext {
    const refuse = (): never => {
      throw closed();
    };
    const { pid, tenant, tree, workspace, key } = opener;
    return {
      pid,
      tenant,
      tree,
      workspace,
      key,
      hasRead: opener.hasRead,
      // It is closed with the browser, and not with a call.
      signal: new AbortController().signal,
      authorize: (touch) =>
        this.online?.isExpected(touch) === true ? this.online.authorize(touch) : refuse(),
      permits: (touch) => this.online?.context.permits(touch) ?? false,
      // PAGE-GATE-2
      granted: () => [],
      // PAGE-GATE-3
      secret: refuse,
      mayWriteBelow: refuse,
      labelsBelow: refuse,
      sees: refuse,
      wroteBelow: refuse,
      ask: refuse,
      heldBy: () => {},
      progress: () => {},
      label: () => {},
    };
  }
}
