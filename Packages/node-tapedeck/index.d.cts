/** A whole URL, or one that begins with `/` for any origin, after a method or without; or a cassette's `request:`. */
export type Matcher = string | { method?: string; url?: string | RegExp; [condition: string]: unknown };

/** How many requests are expected; at least one by default. */
export type Count = number | { times?: number; atLeast?: number; atMost?: number; never?: boolean };

/**
 * `replay` plays: a missing cassette or an unmatched request fails the test. `once` records a cassette that is missing
 * when the run begins, in every test of the run that uses it, and plays one that is there. `new` plays what is on tape
 * and records what is missing. `all` records anew what the test requests.
 */
export type Mode = 'replay' | 'once' | 'new' | 'all';

/** What a session is to be. */
export interface Options {
  /** Where cassettes are: a path, relative to the working directory, or a `file:` URL. By default `TAPEDECK_CASSETTES`, else `cassettes`. */
  folder?: string | URL;
  /** The variants that play, by the names of their response sets. */
  select?: Record<string, string>;
  /** Profiles to apply, the last one on top. */
  profiles?: string | (string | { name: string; only?: string[] })[];
  /** The session's state at first. */
  state?: Record<string, string>;
  /** What random choices follow from. */
  seed?: number;
  /** By default `TAPEDECK_MODE`, else `replay`. */
  mode?: Mode;
  /** Do not fail for requests that nothing on tape answers. */
  allowUnmatched?: boolean;
  /** Fail for response sets that no request asked for. */
  requireUse?: boolean;
  /** The session's name, another one for each test; by default the test's file and name, where they are known. */
  name?: string;
  /** The path of the `tapedeck` program; it goes before `TAPEDECK_BIN` and `TAPEDECK_URL`. */
  binary?: string;
  /** The context of a test: its session and cassette are named after it, and `startTapedeck` ends with it. */
  test?: { name?: string; after?(hook: () => unknown): unknown; task?: unknown };
}

/** Names of cassettes, one over the other; the first is the one that is recorded into. `[]` is none. */
export type Cassettes = string | string[];

/** The members of a cassette's take, or `variants`; `json` is short for a JSON body with its content type. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>[];
  body?: unknown;
  json?: unknown;
  fault?: string;
  variants?: unknown[];
  [member: string]: unknown;
}

/** Headers and body of a request or a response. Properties have secrets; what is printed has placeholders. */
export interface Message {
  readonly headers: [name: string, value: string][];
  header(name: string): string | undefined;
  readonly bytes: Buffer;
  readonly text: string;
  /** True if the deck kept less than all of the body. */
  readonly isCut: boolean;
  json(): any;
}

/** A request as the session saw it, and what answered it. Properties have secrets; what is printed has placeholders. */
export interface Exchange {
  readonly number: number;
  readonly method: string;
  readonly url: string;
  readonly outcome: 'pending' | 'played' | 'recorded' | 'passedThrough' | 'unmatched' | 'refused' | 'cancelled';
  readonly status?: number;
  readonly fault?: string;
  readonly played?: { set: string; cassette: string; variant: string; take: number; rule: string };
  readonly request: Message;
  readonly response?: Message;
  /** Why nothing answered, with the near misses; `undefined` unless `outcome` is `unmatched`. */
  readonly mismatch?: string;
}

/** The session of a test. */
export class Tapedeck {
  private constructor();
  readonly name: string;
  readonly id: string;
  readonly seed: number | undefined;
  readonly mode: Mode;
  /** True if requests are recorded: all of them, or in the mode `new` those that are not on tape. */
  readonly isRecording: boolean;
  /** The proxy for clients outside this process, with the session in it. */
  readonly proxyURL: string;
  /** The deck's control API. */
  readonly controlURL: string;
  /** The deck's certificate authority, PEM. */
  readonly certificateAuthority: string;
  /** The environment of a child process whose requests are to belong to this session. */
  readonly environment: NodeJS.ProcessEnv;
  /** A base URL that stands for an origin. */
  baseURL(url: string): string;
  select(set: string, variant: string): Promise<void>;
  reset(set?: string): Promise<void>;
  apply(profile: string, options?: { only?: string[] }): Promise<void>;
  revert(profile: string): Promise<void>;
  state(): Promise<Record<string, string>>;
  setState(changes: Record<string, string | null>): Promise<void>;
  /** Answers matching requests before any cassette does; resolves to the name of its response set. */
  stub(matcher: Matcher, answer?: Answer): Promise<string>;
  /** Fails the test if a matching request comes. */
  unimplemented(matcher: Matcher, reason?: string): Promise<void>;
  requests(matcher?: Matcher): Promise<Exchange[]>;
  /** Waits for matching requests; `timeout` is in milliseconds, 5000 by default. */
  waitFor(matcher: Matcher, options?: { count?: number; timeout?: number }): Promise<Exchange[]>;
  /** Is checked when the session ends. */
  expect(matcher: Matcher, count?: Count): void;
  /** Is checked when the session ends. */
  expectInOrder(matchers: Matcher[]): void;
  /** Checks at once. */
  verify(): Promise<void>;
  /** Ends the session; rejects with a `TapedeckFailure` for all that is wrong with it. */
  end(): Promise<void>;
}

/** Runs `body` with a session of its own, and resolves to what it returns. Without `cassettes` the test has one of its own. */
export function withTapedeck<Result>(
  cassettes: Cassettes, options: Options, body: (deck: Tapedeck) => Result): Promise<Awaited<Result>>;
export function withTapedeck<Result>(
  cassettesOrOptions: Cassettes | Options, body: (deck: Tapedeck) => Result): Promise<Awaited<Result>>;
export function withTapedeck<Result>(body: (deck: Tapedeck) => Result): Promise<Awaited<Result>>;

/** Opens a session until `end` is called: for hooks such as beforeEach. */
export function startTapedeck(cassettes: Cassettes, options?: Options): Promise<Tapedeck>;
export function startTapedeck(options?: Options): Promise<Tapedeck>;

/** The variants that a response set has in cassettes; built-in ones are not among them. */
export function variants(
  set: string, cassettes: Cassettes, options?: Pick<Options, 'folder' | 'binary'>): Promise<string[]>;

/** Runs `body` for each variant of a response set, each with a session of its own. */
export function withVariants(
  set: string, cassettes: Cassettes, options: Options,
  body: (deck: Tapedeck, variant: string) => unknown): Promise<void>;
export function withVariants(
  set: string, cassettes: Cassettes, body: (deck: Tapedeck, variant: string) => unknown): Promise<void>;

/** An error in how a deck or a session is used. */
export class TapedeckError extends Error {}

/** All that is wrong with a session at its end. */
export class TapedeckFailure extends Error {
  readonly issues: string[];
}
