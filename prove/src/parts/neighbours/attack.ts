import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Member, Scene } from './member.ts';
import { ReplyReader } from './reply-reader.ts';

/** Differs from the other account's address, so limits per address affect only the attacker. */
const ADDRESS = '127.0.0.2';
const BYTES_PER_SECOND = 1024 * 1024;
/** How long a client that disconnects early stays connected. */
const LEAVES_AFTER_MS = 20;
const TRICKLE_INTERVAL_MS = 25;
const SIP_INTERVAL_MS = 20;
const RECONNECT_MS = 10;

export interface AttackReport {
  sent: number;
  answered: number;
  /** The decompressed length of the bodies that were sent. */
  unpackedBytes: number;
  statuses: Record<string, number>;
  codes: Record<string, number>;
}

/** Runs one attack until stopped. */
export class Attack {
  readonly #member: Member;
  readonly #scene: Scene;
  readonly #sockets = new Set<Socket>();
  readonly report: AttackReport = { sent: 0, answered: 0, unpackedBytes: 0, statuses: {}, codes: {} };
  #freeMs = performance.now();
  #isOver = false;
  #turn = 0;

  constructor(member: Member, scene: Scene) {
    this.#member = member;
    this.#scene = scene;
    // Build cached bodies now, before the measurement starts.
    member.send(scene, 0);
  }

  start(): void {
    for (let lane = 0; lane < this.#member.lanes; lane += 1) this.#run();
  }

  stop(): AttackReport {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
    return this.report;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const socket = connect({ port: this.#scene.port, host: '127.0.0.1', localAddress: ADDRESS, noDelay: true });
      this.#sockets.add(socket);
      socket.on('error', () => {});
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      await Promise.race([this.#use(socket), closed]);
      socket.destroy();
      this.#sockets.delete(socket);
      await sleep(RECONNECT_MS);
    }
  }

  /** Uses a connection until it has to be replaced. */
  async #use(socket: Socket): Promise<void> {
    const { manner } = this.#member;
    const reader = new ReplyReader((status, some) => this.#note(status, some));
    if (manner === 'deaf') socket.pause();
    else socket.on('data', (bytes: Buffer) => this.#read(socket, reader, bytes));
    while (!this.#isOver && !socket.destroyed) {
      const turn = this.#turn;
      this.#turn += 1;
      const bytes = this.#member.send(this.#scene, turn);
      await this.#budget(bytes.length);
      if (this.#isOver || socket.destroyed) return;
      const replied = reader.expect(bytes.subarray(0, 5).toString('latin1') === 'HEAD ');
      this.report.sent += 1;
      this.report.unpackedBytes += this.#member.unpackedBytes(turn);
      socket.write(bytes);
      if (manner === 'pour') await drained(socket);
      else if (manner === 'leave') await sleep(LEAVES_AFTER_MS).then(() => socket.destroy());
      else if (manner === 'trickle') await Promise.race([replied, this.#trickle(socket)]);
      else if (!(await replied)) return;
    }
  }

  #read(socket: Socket, reader: ReplyReader, bytes: Buffer): void {
    reader.read(bytes);
    if (this.#member.manner !== 'sip') return;
    socket.pause();
    setTimeout(() => socket.resume(), SIP_INTERVAL_MS);
  }

  async #trickle(socket: Socket): Promise<void> {
    while (!this.#isOver && !socket.destroyed) {
      await sleep(TRICKLE_INTERVAL_MS);
      await this.#budget(1);
      socket.write(' ');
    }
  }

  async #budget(bytes: number): Promise<void> {
    const nowMs = performance.now();
    this.#freeMs = Math.max(this.#freeMs, nowMs);
    const waitMs = this.#freeMs - nowMs;
    this.#freeMs += (bytes / BYTES_PER_SECOND) * 1_000;
    if (waitMs >= 1) await sleep(waitMs);
  }

  #note(status: number, some: readonly string[]): void {
    const { statuses, codes } = this.report;
    this.report.answered += 1;
    statuses[status] = (statuses[status] ?? 0) + 1;
    for (const code of some) codes[code] = (codes[code] ?? 0) + 1;
  }
}

function drained(socket: Socket): Promise<unknown> {
  if (!socket.writableNeedDrain) return sleep(1);
  return new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
}
