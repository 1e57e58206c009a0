type Fs = typeof import("node:fs/promises");

/** isEdge says whether all that runs ends with the request that it was begun for, as in Workers of Cloudflare. */
export const isEdge = "EdgeRuntime" in globalThis || (typeof navigator === "object" && navigator.userAgent === "Cloudflare-Workers");

/** isNode says whether there are files and a process. Workers may look like Node.js. */
export const isNode = !isEdge && typeof process === "object" && typeof process.versions === "object" && "node" in process.versions;

/** isPage says whether this is a page in a browser. */
export const isPage = typeof document === "object";

/** environment returns a variable, undefined if it is empty or there are none. */
export function environment(name: string): string | undefined {
  const { env }: { env?: Record<string, string | undefined> } = typeof process === "object" ? process : {};
  return env?.[name] || undefined;
}

// A variable as specifier keeps bundlers for browsers from looking for the module.
async function load(name: string): Promise<unknown> {
  return await import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}

async function files(): Promise<Fs> {
  return (await load("node:fs/promises")) as Fs;
}

/** readText reads a file. */
export async function readText(file: string): Promise<string> {
  return await (await files()).readFile(file, "utf8");
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

async function hostname(): Promise<string> {
  return ((await load("node:os")) as typeof import("node:os")).hostname();
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** isMissing says whether an error is that there is no such file. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

/** A directory whose files only their owner can read. It is made when something is written. */
export class Directory {
  constructor(readonly name: string) {}

  /** path returns the path of a file. */
  path(file: string): string {
    return `${this.name}/${file}`;
  }

  /** list returns the names of all files, in their order. */
  async list(): Promise<string[]> {
    try {
      return (await (await files()).readdir(this.name)).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async read(file: string): Promise<string> {
    const text = await (await files()).readFile(this.path(file), "utf8");
    await this.checkOwn();
    return text;
  }

  /** checkOwn throws unless the directory is this user's alone: who can write into it can have agents work with any prompt. */
  private async checkOwn(): Promise<void> {
    const { uid, mode } = await (await files()).stat(this.name);
    const user = process.geteuid?.(); // not on Windows
    if (user !== undefined && (uid !== user || (mode & 0o077) !== 0)) {
      throw new Error(`the directory ${this.name} must belong to this user alone, with mode 0700`);
    }
  }

  /** replace writes a file as a whole, by way of a temporary one: a crash leaves the old or the new one. It may get another time of change. */
  async replace(file: string, text: string, temporary: string, time?: Date): Promise<void> {
    const fs = await files();
    await fs.mkdir(this.name, { recursive: true, mode: 0o700 });
    await this.checkOwn();
    try {
      await fs.writeFile(this.path(temporary), text, { mode: 0o600 });
      if (time) await fs.utimes(this.path(temporary), time, time);
      await fs.rename(this.path(temporary), this.path(file));
    } catch (error) {
      await fs.rm(this.path(temporary), { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** modified returns when a file was written or touched, in milliseconds since 1970. */
  async modified(file: string): Promise<number> {
    return (await (await files()).stat(this.path(file))).mtimeMs;
  }

  /** touch sets the times of a file, by default to now. */
  async touch(file: string, time = new Date()): Promise<void> {
    await (await files()).utimes(this.path(file), time, time);
  }

  /** remove removes a file if it is there. */
  async remove(file: string): Promise<void> {
    await (await files()).rm(this.path(file), { force: true });
  }

  /** lease has a file say for so many seconds that this process is alive. */
  async lease(file: string, seconds: number): Promise<void> {
    const until = new Date(Date.now() + seconds * 1000);
    try {
      await this.touch(file, until);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await this.replace(file, `${await hostname()} ${process.pid}\n`, `.${file}.tmp`, until);
    }
  }

  /** isLeased says whether the process that has written the file of a lease may be alive. */
  async isLeased(file: string): Promise<boolean> {
    try {
      if ((await this.modified(file)) < Date.now()) return false;
      const [host, pid] = (await this.read(file)).split(" ");
      if (host === (await hostname()) && process.platform !== "win32") process.kill(Number(pid), 0);
      return true;
    } catch (error) {
      return !isMissing(error) && !hasCode(error, "ESRCH");
    }
  }
}
