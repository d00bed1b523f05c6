@store @contract
Feature: The signing key of ID tokens

  Rule: A rotation keeps all valid tokens valid

    @own-server @configured
    Scenario: an operator rotates the key, and then revokes it
      Given a server that issues ID tokens
      When I submit the script "one.sh":
        """
        svc id-token --audience cloud > {folder}/one
        """
      Then the run succeeds
      And line 1 of the file "one" is an ID token for "cloud" with:
        | run_id | {run} |
      When I call "svc admin rotate-id-token-key --json" for the database of that server
      Then it exits with 0
      And standard output is JSON whose "key_id" is noted as "next"
      When I call "svc admin rotate-id-token-key" for the database of that server
      Then standard output matches "^a rotation is already in progress: key {next} signs from"
      When I send "GET" to "/.well-known/jwks.json" without a token
      Then the answer is 200
      And the answer lists 2 "keys"
      And "keys.1.kid" of the answer is "{next}"
      And line 1 of the file "one" is an ID token for "cloud" with:
        | run_id | {run} |
      When I call "svc admin rotate-id-token-key --revoke --json" for the database of that server
      Then it exits with 0
      And no key of the server verifies line 1 of the file "one"
      When I submit the script "two.sh":
        """
        svc id-token --audience cloud > {folder}/two
        """
      Then the run succeeds
      And line 1 of the file "two" is an ID token for "cloud" with:
        | run_id | {run} |
