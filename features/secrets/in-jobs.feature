Feature: Secrets in jobs

  Rule: Every job of the project has them as variables

    @SEC-002 @OVW-014
    Scenario: under their names
      Given the secret "NPM_TOKEN" is "tok-4711-abc"
      When I submit the script "look.sh":
        """
        test "$NPM_TOKEN" = tok-4711-abc
        svc step look -- sh -c 'test "$NPM_TOKEN" = tok-4711-abc'
        """
      Then the run succeeds

    @AUTH-020
    Scenario: the env of the workflow wins
      Given the secret "SHARED" is "from-the-secret"
      When I submit the script "look.sh" with the options '{"env": {"SHARED": "from-env"}}':
        """
        test "$SHARED" = from-env
        """
      Then the run succeeds

    @AUTH-016
    Scenario: with the value of the moment in which the job is claimed
      Given the secret "TOKEN" is "value-before"
      When I submit the script "wait.sh":
        """
        seen=$(svc step first -- sh -c 'test "$TOKEN" = value-before && echo yes')
        test "$seen" = yes
        svc wait-signal go
        test "$TOKEN" = value-after
        """
      Then the run waits for "signal" "go"
      Given the secret "TOKEN" is "value-after"
      When I send the signal "go" with "null"
      Then the run succeeds

  Rule: Setting one shows it to no other process

    Scenario: while the command reads its standard input
      When I begin "svc secret set HELD -" with "held-back-" on an open standard input
      Then no process shows "held-back-" in its arguments or environment
      When its standard input ends with "canary"
      And I call "svc secret get HELD"
      Then standard output is "held-back-canary"
