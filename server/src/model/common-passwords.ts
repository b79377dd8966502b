/** Those of eight characters and more that are tried first wherever somebody guesses, from lists of what was stolen elsewhere. */
const COMMON = new Set(
  `00000000 11111111 22222222 55555555 66666666 77777777 88888888 99999999 12345678 123456789 1234567890 12341234
  11223344 123123123 12344321 87654321 987654321 0123456789 123454321 1q2w3e4r 1q2w3e4r5t 1qaz2wsx qwertyui qwertyuiop
  qwerty12 qwerty123 asdfghjk asdfghjkl zxcvbnm1 zaq12wsx abcdefgh abcd1234 abc12345 aaaaaaaa password password1
  passw0rd p@ssw0rd iloveyou sunshine princess football baseball superman trustno1 starwars whatever letmein1 welcome1
  changeme`.split(/\s+/),
);

/** Whether a password is one of those that are guessed first (NIST SP 800-63B §3.1.1.2). */
export function isCommonPassword(password: string): boolean {
  return COMMON.has(password.toLowerCase());
}
