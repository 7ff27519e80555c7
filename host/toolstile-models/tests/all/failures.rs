//! What can go wrong, the same with every provider.

use std::time::{Duration, SystemTime};

use serde_json::json;
use toolstile_agent::ModelError;
use toolstile_models::{ModelSettings, Provider, connect};

use crate::server::Answer;
use crate::support::{KEY, Question, with};
use crate::{anthropic, gemini, ollama, openai};

fn failure(status: &'static str, message: &str) -> Answer {
    let body = json!({"type": "error", "error": {"type": "some_error", "message": message}});
    Answer::status(status, &body.to_string())
}

/// The error of a whole reply and of a stream, which have to be the same.
async fn error_of(provider: Provider, answer: Answer) -> ModelError {
    let (model, _server) = with(provider, vec![answer.clone(), answer]).await;
    let whole = Question::new().reply(&model).await.unwrap_err();
    let (streamed, pieces) = Question::new().stream(&model).await;
    assert_eq!(whole.kind(), streamed.unwrap_err().kind(), "{provider}");
    assert!(pieces.is_empty(), "{provider}");
    whole
}

#[tokio::test]
async fn too_many_requests_say_when_to_come_back() {
    for provider in Provider::ALL {
        let answer = failure("429 Too Many Requests", "slow down").header("retry-after", "7");
        match error_of(provider, answer).await {
            ModelError::RateLimited { retry_after, detail } => {
                assert_eq!(retry_after, Some(Duration::from_secs(7)), "{provider}");
                assert!(detail.contains("slow down"), "{provider}: {detail}");
            }
            other => panic!("{provider}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn the_time_to_come_back_may_be_a_date() {
    let later = SystemTime::now() + Duration::from_secs(90);
    let dates = [
        (httpdate::fmt_http_date(later), 80..=90),
        ("Sun, 06 Nov 1994 08:49:37 GMT".to_owned(), 0..=0),
    ];
    for (date, expected) in dates {
        let answer = failure("429 Too Many Requests", "slow down").header("retry-after", date);
        let error = error_of(Provider::OpenAi, answer).await;
        let ModelError::RateLimited { retry_after: Some(wait), .. } = error else {
            panic!("{error:?}")
        };
        assert!(expected.contains(&wait.as_secs()), "{wait:?}");
    }
}

#[tokio::test]
async fn statuses_have_their_kinds() {
    let statuses = [
        ("400 Bad Request", "refused"),
        ("401 Unauthorized", "unauthorized"),
        ("403 Forbidden", "unauthorized"),
        ("404 Not Found", "refused"),
        ("408 Request Timeout", "unavailable"),
        ("302 Found", "refused"),
        ("500 Internal Server Error", "unavailable"),
        ("503 Service Unavailable", "unavailable"),
        ("529 Overloaded", "unavailable"),
    ];
    for provider in Provider::ALL {
        for (status, kind) in statuses {
            let error = error_of(provider, failure(status, "no")).await;
            assert_eq!(error.kind(), kind, "{provider}: {status}: {error:?}");
        }
    }
}

#[tokio::test]
async fn the_key_is_in_no_error() {
    for provider in Provider::ALL {
        let message = format!("the key {KEY} is not known");
        let error = error_of(provider, failure("401 Unauthorized", &message)).await;
        assert!(error.to_string().contains("the key *** is not known"), "{provider}: {error}");
        assert!(!format!("{error:?}").contains(KEY), "{provider}");
    }
}

#[tokio::test]
async fn long_words_are_cut() {
    let error = error_of(Provider::OpenAi, failure("400 Bad Request", &"ä".repeat(2000))).await;
    assert!(error.to_string().chars().count() < 600, "{error}");
}

#[tokio::test]
async fn a_cut_answer_is_interrupted() {
    let answers = [
        (Provider::OpenAi, openai::text()),
        (Provider::Anthropic, anthropic::text()),
        (Provider::Gemini, gemini::text()),
        (Provider::Ollama, ollama::text()),
    ];
    for (provider, answer) in answers {
        let (model, _server) = with(provider, vec![answer.cut()]).await;
        let error = Question::new().reply(&model).await.unwrap_err();
        assert_eq!(error.kind(), "interrupted", "{provider}: {error:?}");
    }
}

fn streams() -> [(Provider, Answer, Answer); 4] {
    let events = |events: Vec<String>, kept: usize| {
        (Answer::events(&events[..kept]).cut(), Answer::events(&events[..kept]))
    };
    let openai = events(openai::streamed_text(), 2);
    let anthropic = events(anthropic::streamed_text(), 3);
    let gemini = events(gemini::streamed_text(), 1);
    let lines = &ollama::streamed_text()[..1];
    [
        (Provider::OpenAi, openai.0, openai.1),
        (Provider::Anthropic, anthropic.0, anthropic.1),
        (Provider::Gemini, gemini.0, gemini.1),
        (Provider::Ollama, Answer::lines(lines).cut(), Answer::lines(lines)),
    ]
}

#[tokio::test]
async fn a_cut_stream_is_interrupted_after_its_pieces() {
    for (provider, cut, _) in streams() {
        let (model, _server) = with(provider, vec![cut]).await;
        let (reply, pieces) = Question::new().stream(&model).await;
        assert_eq!(pieces, ["Sun"], "{provider}");
        let error = reply.unwrap_err();
        assert_eq!(error.kind(), "interrupted", "{provider}: {error:?}");
    }
}

#[tokio::test]
async fn a_stream_without_its_end_event_is_interrupted() {
    for (provider, _, endless) in streams() {
        let (model, _server) = with(provider, vec![endless]).await;
        let error = Question::new().stream(&model).await.0.unwrap_err();
        assert_eq!(error.kind(), "interrupted", "{provider}: {error:?}");
    }
}

#[tokio::test]
async fn an_answer_that_is_no_json_is_malformed() {
    for provider in Provider::ALL {
        let answer = Answer::status("200 OK", "<html>Welcome</html>");
        let (model, _server) = with(provider, vec![answer]).await;
        let error = Question::new().reply(&model).await.unwrap_err();
        assert_eq!(error.kind(), "malformed", "{provider}: {error:?}");
    }
}

#[tokio::test]
async fn an_answer_of_another_kind_is_malformed() {
    for provider in Provider::ALL {
        let answer = Answer::json(&json!({"hello": "world"}));
        let (model, _server) = with(provider, vec![answer]).await;
        let error = Question::new().reply(&model).await.unwrap_err();
        assert_eq!(error.kind(), "malformed", "{provider}: {error:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    for provider in Provider::ALL {
        let settings = ModelSettings::new(provider, "any").with_base_url(&url).with_key(KEY);
        let error = Question::new().reply(&connect(settings).unwrap()).await.unwrap_err();
        assert_eq!(error.kind(), "unavailable", "{provider}: {error:?}");
        assert!(error.to_string().contains("refused"), "{provider}: {error}");
    }
}
