// Sign-in: OAuth for servers that require it. The MCP library does metadata, registration, PKCE, issuer checks and
// step-up of scopes; this file does the visit of the address and keeps the tokens.
//
//   oauthFetch(url, provider, fetch)   a fetch that signs in when the server requires it
//
// SIGN-IN-1  `visit` sends a person to the authorization server and returns the redirect address. Outside of a call
//     there is no person, and the server stays closed.
// SIGN-IN-2  The returned state parameter must equal the one that was sent.
// SIGN-IN-3  Tokens are kept in memory with their issuer and sent only to the server's own address.
// SIGN-IN-4  Each request signs in at most once.

import { randomBytes } from "node:crypto";
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  isStrictScopeSuperset,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { SysError } from "@aos/protocol";
import type { Fetch } from "./egress-fetch.ts";

/** Goes to an address, and gives the parameters of the address that it was redirected to. */
export type OpenAuthorization = (address: URL) => Promise<URLSearchParams>;

export interface SignInOptions {
  readonly visit: OpenAuthorization;
  /** Where the authorization server sends people back to. */
  readonly redirectUrl: string;
  /** Where it may read who this client is, in place of a registration. */
  readonly clientMetadataUrl?: string;
  /** A client that was registered by hand. */
  readonly client?: { readonly client_id: string; readonly client_secret?: string };
}

export class SignIn implements OAuthClientProvider {
  readonly clientMetadataUrl?: string;
  readonly #options: SignInOptions;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier: string | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #state: string | null = null;
  #returned: URLSearchParams | undefined;

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#client = options.client;
    if (options.clientMetadataUrl !== undefined) this.clientMetadataUrl = options.clientMetadataUrl;
  }

  get redirectUrl(): string {
    return this.#options.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    return { client_name: "Agent OS", redirect_uris: [this.redirectUrl] };
  }

  /** SIGN-IN-2. */
  state(): string {
    return (this.#state = randomBytes(24).toString("base64url"));
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    if (this.#verifier === undefined) throw new UnauthorizedError("no sign-in is in progress");
    return this.#verifier;
  }

  invalidateCredentials(what: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    if (what === "all" || what === "client") this.#client = undefined;
    if (what === "all" || what === "tokens") this.#tokens = undefined;
    if (what === "all" || what === "verifier") this.#verifier = undefined;
    if (what === "all" || what === "discovery") this.#discovery = undefined;
  }

  /** SIGN-IN-1, SIGN-IN-2. */
  async redirectToAuthorization(address: URL): Promise<void> {
    const returned = await this.#options.visit(address);
    if (returned.get("state") !== this.#state)
      throw new UnauthorizedError("the sign-in returned a different state parameter");
    this.#returned = returned;
  }

  /** What the last redirect brought, once. */
  takeReturned(): URLSearchParams | undefined {
    const returned = this.#returned;
    this.#returned = undefined;
    return returned;
  }
}

export function oauthFetch(server: string, signIn: SignIn, fetch: Fetch): Fetch {
  const { origin } = new URL(server);
  const send: Fetch = async (url, init) => {
    const headers = new Headers(init?.headers);
    const tokens = signIn.tokens();
    // SIGN-IN-3
    if (tokens !== undefined && new URL(url).origin === origin)
      headers.set("authorization", `Bearer ${tokens.access_token}`);
    return fetch(url, { ...init, headers });
  };
  return async (url, init) => {
    const first = await send(url, init);
    if (!isChallenge(first)) return first;
    await answerChallenge(server, signIn, fetch, first);
    await first.body?.cancel();
    // SIGN-IN-4
    const second = await send(url, init);
    if (!isChallenge(second)) return second;
    throw new SysError(
      "EACCES",
      `${origin} still refuses access after the sign-in (${second.status})`,
    );
  };
}

const isChallenge = (answer: Response): boolean =>
  answer.status === 401 ||
  (answer.status === 403 && extractWWWAuthenticateParams(answer).error === "insufficient_scope");

async function answerChallenge(
  server: string,
  signIn: SignIn,
  fetch: Fetch,
  challenge: Response,
): Promise<void> {
  const { resourceMetadataUrl, scope: wanted } = extractWWWAuthenticateParams(challenge);
  const had = signIn.tokens()?.scope;
  // More rights than before are asked for together with those; others would be lost.
  const scope = challenge.status === 403 ? computeScopeUnion(had, wanted) : wanted;
  // Who no longer counts may have moved to another authorization server.
  if (challenge.status === 401) signIn.invalidateCredentials("discovery");
  const request = {
    serverUrl: server,
    fetchFn: fetch,
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
  // A refresh cannot widen what was granted.
  const forceReauthorization = isStrictScopeSuperset(scope, had);
  if ((await auth(signIn, { ...request, forceReauthorization })) === "AUTHORIZED") return;
  const returned = signIn.takeReturned();
  const authorizationCode = returned?.get("code") ?? undefined;
  if (authorizationCode === undefined)
    throw new UnauthorizedError("the sign-in returned no authorization code");
  const iss = returned?.get("iss") ?? undefined;
  await auth(signIn, { ...request, authorizationCode, ...(iss === undefined ? {} : { iss }) });
}
