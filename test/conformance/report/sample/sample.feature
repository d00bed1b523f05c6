Feature: A sample of everything that a report tells

  @OVW-002 @OVW-003
  Scenario: one that passes & is <shown>
    Given it passes

  @OVW-003
  Scenario: one that fails
    Given it fails with the secrets

  @OVW-004
  Scenario: one whose program is missing
    Given its program is missing

  @OVW-006
  Scenario: one that nobody has written
    Given nobody knows this step

  @OVW-007 @own-server
  Scenario: one that kills
    Given the server is killed

  @OVW-002 @far-end
  Scenario: one that is called
    Given it passes

  @ACCT-001 @provider
  Scenario: one of accounts
    Given it passes

  @RUN-014 @public-url
  Scenario: one of a public address
    Given it passes

  @RUN-015 @no-public-url
  Scenario: one without a public address
    Given it passes

  @OVW-008
  Scenario: one of another part
    Given it passes

  @contract
  Scenario: one of the contract
    Given it passes
