import { Page } from '../../parts/page';
import { usePresent } from '../../shell/session';
import { NameForm } from './name-form';
import { PasswordForm } from './password-form';
import { SignIns } from './sign-ins';
import { TwoFactor } from './two-factor';

export function ProfilePage() {
  const { user } = usePresent();
  return (
    <Page title="Profile and security" description={<bdi>{user.email}</bdi>}>
      <NameForm />
      <PasswordForm />
      <TwoFactor />
      <SignIns />
    </Page>
  );
}
