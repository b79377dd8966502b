import { Secret } from '../../parts/secret';

export function SigningSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  const description = (
    <>
      Your app verifies the signatures of requests with this secret. Store it somewhere safe.{' '}
      <strong>You won’t be able to see it again.</strong>
    </>
  );
  return <Secret text={secret} description={description} onDone={onDone} />;
}
