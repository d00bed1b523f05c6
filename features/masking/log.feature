Feature: Secrets in the log

  Background:
    Given the secret "TOKEN" is "hunter2-canary-77"
    And the secret "KEY" is:
      """
      -----BEGIN KEY-----
      MIIEvQIBADANBg
      kqhkiG9w0BAQ
      -----END KEY-----
      """

  Rule: A value that a program prints is shown as ***

    @AUTH-017
    Scenario: a secret is masked in both streams and in step output
      When I submit the script "print.sh":
        """
        echo "out $TOKEN."
        echo "err $TOKEN." >&2
        svc step print -- sh -c 'echo "step $TOKEN."'
        """
      Then the run succeeds
      And the log has "out ***."
      And the log has "err ***."
      And the log has "step ***."
      And the log lacks "hunter2"

    @contract
    Scenario: a shortened message contains no part of a secret
      When I submit the script "print.sh":
        """
        svc input "$(printf '%050d' 1).$TOKEN" || true
        svc input "$(printf '%050d' 1).$TOKEN x" || true
        """
      Then the run succeeds
      And the log has "1.***" 2 times
      And the log lacks "hunter2"

    @AUTH-017
    Scenario: a credential's value is masked, and so is each half of a username and password
      Given the credential "npm" is '{"kind": "bearer", "token": "bearer-canary-1"}'
      And the credential "db" is '{"kind": "basic", "username": "user-canary-2", "password": "word-canary-3"}'
      When I submit the script "print.sh" with the options '{"credentials": {"NPM": "npm", "DB": "db"}}':
        """
        echo "1 $NPM. 2 $DB. 3 ${DB%%:*}. 4 ${DB#*:}."
        printf 'Authorization: Basic %s.\n' "$(printf %s "$DB" | base64 -w0)"
        """
      Then the run succeeds
      And the log is:
        """
        1 ***. 2 ***. 3 ***. 4 ***.
        Authorization: Basic ***.
        """

    @contract @needs-python3
    Scenario: a value is masked in common encodings
      When I submit the script "encode.py":
        """
        import base64, json, os, urllib.parse
        key = os.environ["KEY"]
        print("1", base64.b64encode(key.encode()).decode() + ".")
        print("2", base64.urlsafe_b64encode(key.encode()).decode() + ".")
        print("3", urllib.parse.quote(key) + ".")
        print("4", urllib.parse.quote_plus(key) + ".")
        print("5", json.dumps({"key": key}) + ".")
        """
      Then the run succeeds
      And the log is:
        """
        1 ***.
        2 ***.
        3 ***.
        4 ***.
        5 {"key": "***"}.
        """

    @contract
    Scenario: a value with several lines is masked as a whole and line by line
      When I submit the script "lines.sh":
        """
        echo "$KEY"
        echo "$KEY" | grep MIIE
        echo "$KEY" | sed 's/$/./'
        """
      Then the run succeeds
      And the log is:
        """
        ***
        ***
        ***.
        ***.
        ***.
        ***.
        """

  Rule: The live log is masked wherever a program pauses

    @AUTH-042
    Scenario: a program pauses in the middle of a secret
      Given a gate "rest"
      When I submit the script "pause.sh":
        """
        echo a line
        printf 'it is hunter2-ca'
        read -r _ < {folder}/rest
        printf 'nary-77, is it not\n'
        """
      Then the log soon has "it is "
      And the log lacks "hunter"
      When I open the gate "rest"
      Then the run succeeds
      And the log is:
        """
        a line
        it is ***, is it not
        """

    @contract
    Scenario: text that only starts like a secret is shown unchanged
      When I submit the script "alike.sh":
        """
        printf 'hunter2'
        printf -- '-not\nhunter'
        """
      Then the run succeeds
      And the log is:
        """
        hunter2-not
        hunter
        """

    @contract
    Scenario: a secret that was replaced while the run waited stays masked
      When I submit the script "replaced.sh":
        """
        old=$(svc step get -- printenv TOKEN)
        svc wait-signal go
        echo "old $old. new $TOKEN."
        """
      Then the run waits for "signal" "go"
      Given the secret "TOKEN" is "another-canary-78"
      When I send the signal "go" with "null"
      Then the run succeeds
      And the log has "old ***. new ***."
