type Fs = typeof import("node:fs/promises");
type Path = typeof import("node:path");

/** isNode says whether there are files and a process. */
export const isNode = typeof process === "object" && typeof process.versions === "object" && "node" in process.versions;

/** environment returns a variable, undefined if it is empty or this is a browser. */
export function environment(name: string): string | undefined {
  return (isNode && process.env[name]) || undefined;
}

// A variable as specifier keeps bundlers for browsers from looking for the module.
async function load(name: string): Promise<unknown> {
  return await import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}

/** readText reads a file. */
export async function readText(file: string): Promise<string> {
  return await ((await load("node:fs/promises")) as Fs).readFile(file, "utf8");
}

/** readTextNow reads a file for a constructor. It returns undefined where that cannot be done. */
export function readTextNow(file: string): string | undefined {
  const here: { getBuiltinModule?: (name: string) => unknown } = isNode ? process : {}; // Node.js has it since 20.16
  const fs = here.getBuiltinModule?.("node:fs") as typeof import("node:fs") | undefined;
  return fs?.readFileSync(file, "utf8");
}

/** sha256 returns the hash of a text in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const { createHash } = (await load("node:crypto")) as typeof import("node:crypto");
  return createHash("sha256").update(text).digest("hex");
}

/** isMissing says whether an error is that there is no such file. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** A directory whose files only their owner can read. */
export class Directory {
  readonly #fs: Fs;
  readonly #path: Path;
  readonly name: string;

  private constructor(fs: Fs, path: Path, name: string) {
    this.#fs = fs;
    this.#path = path;
    this.name = name;
  }

  /** open returns a directory that is made when something is written. In a browser there is none. */
  static async open(name: string | undefined, ...below: string[]): Promise<Directory | undefined> {
    if (name === undefined || !isNode) return undefined;
    const path = (await load("node:path")) as Path;
    return new Directory((await load("node:fs/promises")) as Fs, path, path.join(name, ...below));
  }

  /** path returns the path of a file. */
  path(file: string): string {
    return this.#path.join(this.name, file);
  }

  /** list returns the names of all files, in their order. */
  async list(): Promise<string[]> {
    try {
      return (await this.#fs.readdir(this.name)).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async read(file: string): Promise<string> {
    const text = await this.#fs.readFile(this.path(file), "utf8");
    await this.checkOwn();
    return text;
  }

  /** checkOwn throws unless the directory is this user's alone: who can write into it can have agents work with any prompt. */
  private async checkOwn(): Promise<void> {
    const { uid, mode } = await this.#fs.stat(this.name);
    const user = process.geteuid?.(); // not on Windows
    if (user !== undefined && (uid !== user || (mode & 0o077) !== 0)) {
      throw new Error(`the directory ${this.name} must belong to this user alone, with mode 0700`);
    }
  }

  /** replace writes a file as a whole, by way of a temporary one: a crash leaves the old or the new one. */
  async replace(file: string, text: string, temporary: string): Promise<void> {
    await this.#fs.mkdir(this.name, { recursive: true, mode: 0o700 });
    await this.checkOwn();
    try {
      await this.#fs.writeFile(this.path(temporary), text, { mode: 0o600 });
      await this.#fs.rename(this.path(temporary), this.path(file));
    } catch (error) {
      await this.#fs.rm(this.path(temporary), { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** modified returns when a file was written or touched, in milliseconds since 1970. */
  async modified(file: string): Promise<number> {
    return (await this.#fs.stat(this.path(file))).mtimeMs;
  }

  /** touch sets the times of a file to now. A failure does not matter: the file only looks older. */
  async touch(file: string): Promise<void> {
    const now = new Date();
    await this.#fs.utimes(this.path(file), now, now).catch(() => undefined);
  }

  /** remove removes a file if it is there. */
  async remove(file: string): Promise<void> {
    await this.#fs.rm(this.path(file), { force: true });
  }
}
