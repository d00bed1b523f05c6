Feature: Secrets in views of a run

  Background:
    Given the secret "TOKEN" is "hunter2-canary-77"

  Rule: A record keeps the secret value, and views mask it

    @AUTH-043
    Scenario: captured output is masked, but a replay gets the real value
      When I submit the script "captured.sh":
        """
        seen=$(svc step get -- printenv TOKEN)
        svc wait-signal go
        test "$seen" = hunter2-canary-77
        svc step many -- sh -c 'for n in 1 2 3; do printf "%s%s\n" "$TOKEN" "$n"; done'
        """
      Then the run waits for "signal" "go"
      When I send the signal "go" with "null"
      Then the run succeeds
      And the recorded steps are:
        | site     | kind        | stdout               |
        | get#0    | step        | ***\n                |
        | go#0     | wait-signal | null\n               |
        | many#0   | step        | ***1\n***2\n***3\n   |

    @AUTH-043
    Scenario: a value is masked in base64 too, and each of its lines separately
      When I call "svc secret set PHRASES -" with standard input:
        """
        first-canary-51
        second-canary-52
        """
      And I submit the script "forms.sh":
        """
        svc step encoded -- sh -c 'printf %s "$TOKEN" | base64'
        svc step several -- sh -c 'printf %s "$PHRASES" | base64'
        svc step first -- sh -c 'echo "$PHRASES" | head -n 1'
        svc step last -- sh -c 'echo "$PHRASES" | tail -n 1'
        """
      Then the run succeeds
      And the recorded steps are:
        | site      | kind | stdout |
        | encoded#0 | step | ***\n |
        | several#0 | step | ***\n |
        | first#0   | step | ***\n |
        | last#0    | step | ***\n |

    @contract
    Scenario: secrets are masked in output and notes
      When I submit the script "output.sh":
        """
        svc output set "text=is $TOKEN" 'list:=["'"$TOKEN"'", 1]'
        svc annotate "a note of $TOKEN"
        """
      Then the run succeeds
      And "output" of the run is '{"text":"is ***","list":["***",1]}'
      And "annotations" of the run is '["a note of ***"]'

    @contract
    Scenario: secrets are masked in labels and step names
      When I submit the script "names.sh":
        """
        svc step "login $TOKEN" --label "with $TOKEN" -- true
        """
      Then the run succeeds
      And the recorded steps are:
        | site          | label    |
        | login ***#0   | with *** |

    @contract
    Scenario: secrets are masked in the names and conditions of a wait for the first of several
      When I submit the script "any.sh":
        """
        svc wait-any "signal:$TOKEN" event:paid --when paid='event.payload.id == vars.id' --var id="$TOKEN"
        """
      Then the run waits for "any" "signal:*** event:paid"
      When I call "svc steps {run}"
      Then standard output has "signal:***"
      And standard output lacks "hunter2"
      When I call "svc explain {run}"
      Then standard output has 'with vars = {"id":"***"}'
      And standard output lacks "hunter2"
      When I emit "paid" with '{"id": "hunter2-canary-77"}'
      Then the run succeeds

  @contract
  Rule: An error is masked before it is shortened

    Scenario: secrets are masked in a failed command's output, and in the error of a command that cannot start
      When I submit the script "fail.sh":
        """
        svc step start -- "/nowhere/$TOKEN" || true
        echo "the token is $TOKEN" >&2
        for n in $(seq 400); do printf '%s %s\n' "$n" "$TOKEN" >&2; done
        exit 3
        """
      Then the run fails and its error has "400 ***"
      And "error.message" of the run lacks "hunter"
      And "error.message" of the run lacks "canary"
      And the steps lack "hunter"
