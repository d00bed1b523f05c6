@contract @far-end
Feature: Secrets in secret stores of other systems

  Rule: A secret is read from its store when a job is claimed

    Scenario Outline: a job gets the value from <store>
      Given <store>
      And it has '{"password": "stored-canary-1"}' at "app-db"
      And I call "svc secret-store set main <flags>"
      And I call "svc secret set DB_PASSWORD --from-store main --path app-db#password"
      When I submit the script "look.sh":
        """
        test "$DB_PASSWORD" = stored-canary-1
        echo "it is $DB_PASSWORD"
        """
      Then the run succeeds
      And the log has "it is ***"
      And nobody can read "stored-canary-1" anywhere in the run

      Examples:
        | store                         | flags                                                                                       |
        | a Vault with a token          | --kind vault --url {far} --token @vault.token                                               |
        | a Vault with an AppRole login | --kind vault --url {far} --role-id role-4711 --secret-id @secret.id                         |
        | an AWS Secrets Manager        | --kind aws --url {far} --region eu-west-1 --access-key-id AKIAFAREND0000 --secret-access-key @aws.key |
        | a Google Secret Manager       | --kind gcp --url {far} --service-account @key.json                                          |

  Rule: While a store is down, runs wait; permanent problems fail them

    Scenario: a run waits for its store, and then gets its entire environment
      Given a Vault with a token
      And it has '{"password": "stored-canary-1"}' at "app/db"
      And I call "svc secret-store set main --kind vault --url {far} --token @vault.token"
      And the secret "DB_PASSWORD" is "app/db#password" of the store "main"
      And the secret "HERE" is "kept-in-svc"
      When the secret store is down
      And I call "svc secret-store test main app/db#password"
      Then it exits with 1
      And standard output has "the secret store main answered 503 (secret_store_unavailable)"
      When I submit the script "look.sh":
        """
        test "$DB_PASSWORD:$HERE" = stored-canary-1:kept-in-svc
        """
      And the secret store works again
      Then the run succeeds

    Scenario: a run fails if the secret lacks the field, and the error contains the name of the secret
      Given a Vault with a token
      And it has '{"password": "stored-canary-1"}' at "app/db"
      And I call "svc secret-store set main --kind vault --url {far} --token @vault.token"
      And the secret "DB_PASSWORD" is "app/db#passwrod" of the store "main"
      When I submit the script "look.sh":
        """
        true
        """
      Then the run fails with code "secret_store_no_value"
      And "error.message" of the run matches "the secret DB_PASSWORD: app/db#passwrod in the secret store main"
      And nobody can read "canary" anywhere in the run

    Scenario: a run fails if its store was removed
      Given a Vault with a token
      And I call "svc secret-store set main --kind vault --url {far} --token @vault.token"
      And the secret "DB_PASSWORD" is "app/db#password" of the store "main"
      And I call "svc secret-store rm main"
      When I submit the script "look.sh":
        """
        true
        """
      Then the run fails with code "secret_store_missing"

  Rule: Commands show the location of a value, but never a login

    Scenario: stores and references are listed and shown
      Given a Vault with a token
      And it has '{"password": "stored-canary-1"}' at "app/db"
      And I call "svc secret-store set main --kind vault --url {far} --token @vault.token"
      And I call "svc secret set DB_PASSWORD --from-store main --path app/db#password"
      When I call "svc secret ls"
      Then standard output has "main:app/db#password"
      And standard output lacks "canary"
      When I call "svc secret-store show main"
      Then standard output has "{far}"
      And standard output lacks "canary"
      When I call "svc secret-store test main app/db#password"
      Then standard output is "app/db#password can be used"
      When I call "svc secret get DB_PASSWORD"
      Then standard output is "stored-canary-1"
      When I call "svc audit ls"
      Then standard output has "secret_store.test"
      And standard output lacks "canary"
