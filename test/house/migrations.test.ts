import assert from 'node:assert/strict'
import test from 'node:test'
import { readMigrations } from '../../src/base/db/migrate.ts'

/** A new migration gets a line here. A line never changes, because databases store the checksums of applied migrations. */
const checksums: Readonly<Record<string, string>> = {
  '0001_base.sql': '7c51d228af0b452516bebc9407fc441d9784fa6a5bfd77a8d0d65e3455761303',
  '0002_workspace.sql': '2c45c2cb09914b92facbd03908ef54ac93b9df6d935ca17a8a785046e6cbbe4d',
  '0003_accounts.sql': '1284cee167b88417312c597c509bc417dddf54d01be51bdeecd65d5dd5e971aa',
  '0004_people.sql': '55c892f23ce80e28972af0f02f0e5ce706f3c7b5610beb5aac24951e0deed499',
  '0005_audience.sql': '5c471a410771a00f399f938d2cf1ce362ec83076def51896b8956ea01d144772',
  '0006_content.sql': '73637beb4bdff3258594a6ea22c005a45b4c7f03b94dc459f03d587680934afd',
  '0007_messaging.sql': '8d19806996de4142fbd616d09ad43b6e59c5e8caa9ba0fc1b452f15c6c68bf40',
  '0008_provisioning.sql': '9c994afac1985b865df685487dcced499d0c0b0b49a7f9baf4468e43bf0c2479',
  '0009_groups.sql': '7a7baa7f7a87720124ad16c2bf09bf80e33a9ac3af93137c5c34163b611ec012',
  '0010_sign_in_identity.sql': '4072da970240efbe6a6b0f7ee1f67b6a6292c6d28973f6b4e21f6661c885f327',
  '0011_first_link.sql': '990865f673b54ccfdac4cb4982254fc1ea99a61812c6d017d693929aa4910c7c',
  '0012_running_process.sql': '67fafac59a28a0b40eeb791954ea425e4d396de3ba611f7662df022398b2d416',
  '0013_sealing_key.sql': '54e3e531ad1568ede302cf82b019952483efa9e88ec8455757d4d6648c155728',
  '0014_set_aside.sql': 'f8a89c3ce57fd32bfaa012a88f549a9d9e3eac423ae0ba2f67bf90e53f0b19b2',
  '0019_audit_kinds.sql': '538ad380b067d8fc8f1f51d6e8d1e3f166cc2def3219b40f650985ffb8db064c',
  '0020_deleted_content.sql': '5faf178b59eeeb60cbd034674dd57be6c46f667cfdedc2b8c32cc691489530b2',
  '0021_strict_keys.sql': '88fd24debbf6fec450bc5b83f289e16605fd24ca2fd1dc2ff495dd22989cd29a',
  '0022_clock_lock.sql': '3e8963d70a684507a86e24a1e0e29736fc86ea1e743a8ab0f003edaca65d83d5',
  '0023_account_attributes.sql': '52e4f277afa7e557082bf550d22fa597c1245ded56a022d8bf337e8862e38378',
  '0024_audit_text.sql': 'd4492649cd14e77f3e70753e8c9737569e760a2edd1157d46bfd66460d9c3770',
  '0025_newest_people.sql': '19387a98c06df77247eaccf765fb6241714d6b412532cbd1e68b0fe1cba1f37e',
  '0026_newest_messages.sql': '9eaaad49078f8cebef467bc247d382ab4a5de2708843217cf44f2ed9f3408e62',
  '0027_traffic.sql': '4ba428f38bd25bde16b17b1667145351a86e8dce6333c999bb7a866998094acf',
  '0028_deleted_names.sql': 'a8d55a58882cea3ee849ced9e2a4d1ff19f0c0d824008a8237d0438a93db8621',
  '0029_tallies.sql': '0b1ddda25fc69729d6f68c4759b90d9431ac6de28f8ce9af8c59273925563f04',
  '0030_control_group.sql': '58c7b2ed73d5c3c4660d59d2a9c2a4130ce95375058f8295ca3f6121680b8ed7',
  '0031_preference_centers.sql': '1240040cc3970422e3b82c8664a19fa8dd6aeac18a9e3047369a6dbf54ab16c4',
  '0033_transactional_sends.sql': '2e20db095fd97cefc404456ff79c8c0f33cdb58c8d2647b9acb47f3a572bcfba',
  '0034_media.sql': '54fc9b0f2ae5b54337902a9867677c8ebbf2f64ed72dc8bd4e6fe911ceaf50f5',
  '0035_flow_tallies.sql': 'fd0cc4fb5179b272df06948c350554339afbb7ae8d589fecaa3293072c85c583',
  '0036_attribute_names.sql': 'aa526c13449be69f77afe7d0866a9abfd6b2a31d892fea10c5114073a6adec63',
  '0038_cohorts.sql': '7654570e2a983b231287a6148e8872b3b3bfa01b6d9c59a1c692236f2e34ad7e',
  '0037_entry_trail.sql': '92e53eadb37a524991ee6031fde34844a28d7b321e26728b353dbe3046156be1',
  '0039_due_sends_and_counts.sql': 'd1f01bf2fdd4ca1a71af6257241dcccf1fc4180f77e8ef4686e8f1ba0ffdcc6c',
  '0040_flow_drafts.sql': 'e651843d7cf7bb997795162762f0b75d39df8308c85af5d39ed1480506048bc3',
  '0041_database_move.sql': 'd46e027b3e8bd2c6f12e704fd2a88afadc3055b38d17733f774e82990a95f145',
  '0042_views_for_analysts.sql': '969c912b75de473339bea32bebe31b595beadc83dd713b27e1f43ddfc736da05',
  '0043_channels.sql': '373629bd5c9cf9529e83e851ee97c460cf513b9d795f3ad501c941b5d8fd884d',
  '0044_double_opt_in.sql': 'c2804a366e2d65825b214580cb6a61ca81bf526fed3bb720f5317c61c5e6889b',
  '0045_feed.sql': '1ae08593c39ce42b3e45bafa0391fbb6dd18f9534ce13fce215b6ae4a90cb9ab',
  '0046_webhooks.sql': '15a7a79135f94d83265a76eb0e6551853c5dea84e45af21613079617dcb7b408',
  '0047_views_of_one_person.sql': 'b256947ddee3ae5126fd499ba7e15dcd6c6b0512fd43e286eee4e3727e57e75f',
  '0048_sms.sql': 'e6301269fe82f499d864e9af6c4999cd7b73cd8aa5c18815819ee2bf5d21538e',
  '0049_webhook_messages.sql': '8e3685588f6485d714f199b00a5eb6fe43b46553424df5cf15615559f30106ad',
  '0050_text_confirmations.sql': 'd9ea6d1a473c2ef273428159c86028a731ecb75d1c2d127e521c0ea2765d1a92',
  '0051_packed_tallies.sql': '939d7195c904e19772920490e2c593a4dc843d23a14b3b5489ed0024bc3b950e',
  '0052_selection_items.sql': '88babc5094c82207c7294e8e10cc383b39e5b5d740593e628f0b37dfad19a7fb',
}

test('released migrations are never edited', () => {
  assert.deepEqual(Object.fromEntries(readMigrations().map(({ name, checksum }) => [name, checksum])), checksums)
})
