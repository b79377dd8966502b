import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core';
import { Check, ChevronsUpDown } from 'lucide-react';
import { useChooseAccount } from './leave';
import { usePresent } from './session';

/** The account that everything is about; a menu for those who are in several. */
export function AccountSwitcher() {
  const { account, accounts } = usePresent();
  if (accounts.length < 2) {
    return (
      <div className="switcher">
        <AccountName name={account.name} />
      </div>
    );
  }
  return <AccountMenu />;
}

function AccountMenu() {
  const { account, accounts } = usePresent();
  const choose = useChooseAccount();

  return (
    <Menu width="target" position="bottom-start" withinPortal={false}>
      <Menu.Target>
        <UnstyledButton className="switcher">
          <span className="visually-hidden">Account: </span>
          <AccountName name={account.name} />
          <ChevronsUpDown size={15} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Accounts</Menu.Label>
        {accounts.map(({ id, name }) => (
          <Menu.Item
            key={id}
            onClick={() => choose(id)}
            rightSection={id === account.id ? <Check size={15} aria-label="chosen" /> : null}
          >
            <Text component="bdi" size="sm" lineClamp={2}>
              {name}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function AccountName({ name }: { name: string }) {
  return (
    <>
      <Avatar size={26} radius="md" color="evergreen" variant="filled" aria-hidden>
        {[...name][0]?.toUpperCase()}
      </Avatar>
      <Text component="bdi" size="sm" fw={600} truncate flex={1} title={name}>
        {name}
      </Text>
    </>
  );
}
