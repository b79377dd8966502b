import type { KeyUse } from '../domain/keys/key-use.ts';
import type { ListingCounts } from '../domain/listings/listing-counts.ts';
import type { RequestLog } from '../domain/requests/request-log.ts';
import type { Dispatcher } from '../domain/webhooks/dispatch/dispatcher.ts';
import type { WebhookServices } from '../domain/webhooks/webhooks.ts';
import type { EventHub } from '../domain/writing/event-hub.ts';
import type { Log } from '../lib/log.ts';
import type { Mailer } from '../lib/mailer.ts';
import type { Admission } from './gate/admission.ts';
import type { KeyGuessLimiter } from './gate/key-guess-limiter.ts';
import type { RateLimit } from './gate/rate-limit.ts';
import type { UploadGate } from './gate/upload-gate.ts';
import type { InvitationLimit } from './identity/invitation-limit.ts';
import type { IdentityServices } from './identity/services.ts';
import type { SetupLink } from './identity/setup-link.ts';
import type { ReadingThreads } from './imports/reading-threads.ts';
import type { CursorCodec } from './protocol/cursor.ts';
import type { ListCache } from './protocol/list-cache.ts';

/** The images of the dashboard's maps. */
export interface MapTiles {
  /** The URL of an image, with the placeholders `{z}`, `{x}`, and `{y}`. */
  url: string;
  attribution: string;
}

export interface Services extends IdentityServices, WebhookServices {
  dispatcher: Pick<Dispatcher, 'refresh'>;
  admission: Admission;
  uploadGate: UploadGate;
  readingThreads: ReadingThreads;
  eventHub: EventHub;
  cursors: CursorCodec;
  listCache: ListCache;
  keyUse: KeyUse;
  listingCounts: ListingCounts;
  requestLog: RequestLog;
  log: Log;
  rateLimit: RateLimit;
  keyGuesses: KeyGuessLimiter;
  invitationLimit: InvitationLimit;
  setupLink: SetupLink;
  /** Undefined if the service cannot send mail. */
  mailer: Mailer | undefined;
  /** Undefined for maps without images. */
  mapTiles: MapTiles | undefined;
  /** The program's version, which is part of each list's ETag. */
  release: string;
  isStopping: () => boolean;
  /** Whether this process is ending, because the service is stopping or another process is replacing it. */
  isLeaving: () => boolean;
}
