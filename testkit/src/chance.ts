/** Masks values that differ in each run, such as IDs and times. */
export function withoutChance(text: string): string {
  return (
    text
      .replaceAll(/\b(lst|acc|key|usr|aud|imp|inv|run|whk|req)_[0-9a-z]{26}/g, '$1_')
      .replaceAll(/\bmsg_[0-9a-z]{26}_\w+/g, 'msg_')
      .replaceAll(/\bwhsec_[0-9A-Za-z+/=]+/g, 'whsec_')
      .replaceAll(/("durationMs": ?)[\d.]+/g, '$1MS')
      .replaceAll(/\bplk_[0-9A-Za-z]+/g, 'plk_')
      .replaceAll(/https?:\/\/[\w.:-]+\/invitation#token=[\w-]{43}/g, 'LINK')
      .replaceAll(/("email": ?)"[^"]+@example.com"/g, '$1EMAIL')
      .replaceAll(/\b[\w-]+@example.com is/g, 'EMAIL is')
      // The actor, which is a key or a user.
      .replaceAll(/("actor": ?)\{"type":"(?:key|user)"[^}]*\}/g, '$1CALLER')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/(requestId\\?": ?\\?)"[0-9a-f-]{36}/g, '$1ID')
      .replaceAll(/("epoch": ?)"\w{8}"/g, '$1EPOCH')
      .replaceAll(/("planId": ?)"[\w-]+"/g, '$1ID')
      .replaceAll(/\bin \d+ s\b/g, 'in SECONDS')
      .trim()
  );
}
