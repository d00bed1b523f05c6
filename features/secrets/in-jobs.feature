Feature: Secrets in jobs

  Rule: Every trusted job of the project gets the secrets as variables

    @SEC-002 @OVW-014
    Scenario: secrets become variables with the same names
      Given the secret "NPM_TOKEN" is "tok-4711-abc"
      When I submit the script "look.sh":
        """
        test "$NPM_TOKEN" = tok-4711-abc
        svc step look -- sh -c 'test "$NPM_TOKEN" = tok-4711-abc'
        """
      Then the run succeeds

    @AUTH-020
    Scenario: the workflow's env overrides a secret
      Given the secret "SHARED" is "from-the-secret"
      When I submit the script "look.sh" with the options '{"env": {"SHARED": "from-env"}}':
        """
        test "$SHARED" = from-env
        """
      Then the run succeeds

    @AUTH-016
    Scenario: a job gets the secret's value at the time of its claim
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

  @contract
  Rule: No other process can see the value while it is set

    Scenario: the command reads the value from standard input
      When I begin "svc secret set HELD -" with "held-back-" on an open standard input
      Then no process shows "held-back-" in its arguments or environment
      When its standard input ends with "canary"
      And I call "svc secret get HELD"
      Then standard output is "held-back-canary"
