import { Card } from '../../ui/facts.tsx'
import { AboutForm } from '../flow-forms/about-form.tsx'
import { AudienceForm } from '../flow-forms/audience-form.tsx'
import { ConversionsForm } from '../flow-forms/conversions-form.tsx'
import { EntryForm } from '../flow-forms/entry-form.tsx'
import { ExitForm } from '../flow-forms/exit-form.tsx'
import { OtherMembers } from '../flow-forms/fields.tsx'
import { SendingForm } from '../flow-forms/sending-form.tsx'
import styles from './campaigns.module.css'
import { MessagesForm } from './messages-form.tsx'

type CampaignFormsProps = { openMessage: number; onOpenMessage: (message: number) => void }

/** All forms of a campaign, from what it is to what it shall achieve. */
export function CampaignForms({ openMessage, onOpenMessage }: CampaignFormsProps) {
  return (
    <div className={styles.forms}>
      <Card title="What it is">
        <div className={styles.card}>
          <AboutForm />
          <OtherMembers path={[]} of="campaign" />
        </div>
      </Card>
      <Card title="Messages">
        <div className={styles.card}>
          <MessagesForm wanted={openMessage} onOpen={onOpenMessage} />
        </div>
      </Card>
      <Card title="Who gets it">
        <div className={styles.card}>
          <AudienceForm path={[]} />
        </div>
      </Card>
      <div className={styles.pair}>
        <Card title="When">
          <div className={styles.card}>
            <EntryForm />
          </div>
        </Card>
        <Card title="Rules of sending">
          <div className={styles.card}>
            <SendingForm />
          </div>
        </Card>
      </div>
      <div className={styles.pair}>
        <Card title="What it shall achieve">
          <div className={styles.card}>
            <ConversionsForm />
          </div>
        </Card>
        <Card title="Leaving early">
          <div className={styles.card}>
            <ExitForm />
          </div>
        </Card>
      </div>
    </div>
  )
}
